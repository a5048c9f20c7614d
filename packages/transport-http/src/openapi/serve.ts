import { openApiDocument } from './document.ts'

/** Stands where the base path belongs: nothing else in the document has this character. */
const place = '\0'

/**
 * The document, for a request that asks for it, else null. It needs no key, as it says only what the documentation
 * says. It is served at the origin, where tools look, and below the base path, because a mount may see only those
 * paths. It is serialized once, not for each base path: a framework may accept many names of one mount, such as `/V1`.
 */
export function serveOpenApi({ brand }: { brand: string }) {
  let parts: string[] | undefined
  return (method: string, { path, base_path }: { path: string; base_path: string }): string | null => {
    if (method !== 'GET' || (path !== '/openapi.json' && path !== `${base_path}/openapi.json`)) return null
    parts ??= JSON.stringify(openApiDocument({ serverUrl: place, brand })).split(JSON.stringify(place))
    return parts.join(JSON.stringify(base_path || '/'))
  }
}
