/**
 * Where a payer is sent on to: only an address that the merchant stored with the session. Serialized again by the URL
 * parser, so that it cannot be read as anything but one URL.
 */
export function returnAddress(stored: string, session_id: string): { href: string; host: string } | null {
  const text = stored.replaceAll('{CHECKOUT_SESSION_ID}', session_id)
  if (!URL.canParse(text)) return null
  const { href, host, protocol } = new URL(text)
  return protocol === 'https:' || protocol === 'http:' ? { href, host } : null
}
