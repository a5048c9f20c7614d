import { openApiDocument } from './document.ts'

/**
 * The document, for a request that asks for it, else null. It needs no key, as it says what the documentation
 * says; at the origin too, where tools look, because a mount may see the paths below it only. Written once.
 */
export function serveOpenApi({ base_path, brand }: { base_path: string; brand: string }) {
  let body: string | null = null
  const paths = ['/openapi.json', `${base_path}/openapi.json`]
  return (method: string, path: string): string | null => {
    if (method !== 'GET' || !paths.includes(path)) return null
    body ??= JSON.stringify(openApiDocument({ serverUrl: base_path || '/', brand }))
    return body
  }
}
