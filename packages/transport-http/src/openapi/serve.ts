import { openApiDocument } from './document.ts'

/**
 * The document, for a request that asks for it, else null. It needs no key, as it says only what the documentation
 * says. It is served at the origin, where tools look, and below the base path, because a mount may see only those
 * paths. The last one written is cached: a surface has one base path, unless its host mounts it several times.
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
