import { faultInUrlText } from '../schema/url-text.ts'

/** Why a payer must not be sent to this URL, or null: `https` is fine, in the sandbox also `http` on localhost. */
export function faultInReturnUrl(url: string, { livemode }: { livemode: boolean }): string | null {
  const text = faultInUrlText(url)
  if (text !== null) return text
  if (!/^[a-z]+:\/\/[^/?#]/i.test(url) || !URL.canParse(url)) return 'is not a URL'
  const { protocol, hostname, username, password } = new URL(url)
  if (username !== '' || password !== '') return 'must not carry a user name or password'
  // Host names are lowercased, and ids have capital letters: the id would come out as another one.
  if (hostname.includes('{')) return 'must not have {CHECKOUT_SESSION_ID} in its host'
  if (protocol === 'https:') return null
  const local = hostname === 'localhost' || hostname === '127.0.0.1' || hostname === '[::1]'
  if (protocol === 'http:' && local && !livemode) return null
  return livemode ? 'must be an https URL' : 'must be an https URL, or an http URL on localhost'
}
