/** Text without its byte order mark. Null for what is not UTF-8: replacing it would make two ids into one. */
export function decodeUtf8(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return null
  }
}
