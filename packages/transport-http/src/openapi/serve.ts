import { openApiDocument } from './document.ts'

/**
 * The document, for a request that asks for it, else null. It needs no key, as it says what the documentation
 * says; at the origin too, where tools look, because a mount may see the paths below it only. Written once for
 * each base path in turn: a surface has one, unless its host mounts it several times.
 */
export function serveOpenApi({ brand }: { brand: string }) {
  let written = { base_path: '', body: '' }
  return (method: string, { path, base_path }: { path: string; base_path: string }): string | null => {
    if (method !== 'GET' || (path !== '/openapi.json' && path !== `${base_path}/openapi.json`)) return null
    if (written.body === '' || written.base_path !== base_path) {
      written = { base_path, body: JSON.stringify(openApiDocument({ serverUrl: base_path || '/', brand })) }
    }
    return written.body
  }
}
