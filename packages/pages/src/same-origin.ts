import { headerOf, type PageRequest } from './message.ts'

/**
 * Whether a form was sent from our own page. Under `Referrer-Policy: no-referrer` a browser sends `Origin: null` with our
 * own forms too, so `Sec-Fetch-Site` decides if present: no page can forge it. Browsers send it to https and to localhost.
 * Without either header, no browser sent the form, and so no page can have tricked a payer into it.
 */
export function isSameOrigin(request: PageRequest, public_origin: string): boolean {
  const site = headerOf(request, 'sec-fetch-site')
  if (site !== undefined) return site === 'same-origin' || site === 'none'
  const origin = headerOf(request, 'origin')
  return origin === undefined || origin === public_origin
}
