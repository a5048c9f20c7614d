import { headerOf, type PageRequest } from './message.ts'

/**
 * Whether a form was sent from our own page. No page can forge either header; browsers send `Sec-Fetch-Site` to https and
 * localhost only, and `Origin` with every form. Without both, no browser sent the form, and so no page can have tricked a
 * payer into it.
 */
export function isSameOrigin(request: PageRequest, public_origin: string): boolean {
  const site = headerOf(request, 'sec-fetch-site')
  if (site !== undefined) return site === 'same-origin' || site === 'none'
  const origin = headerOf(request, 'origin')
  return origin === undefined || origin === public_origin
}
