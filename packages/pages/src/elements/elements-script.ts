import type { PageResponse } from '../message.ts'
import { digestOf } from './digest.ts'
import { quittance_elements } from './scripts.ts'

const integrity = digestOf(quittance_elements)

/**
 * The module that defines `<quittance-card>` and `<quittance-bank-account>`. Its path names its content, below whatever
 * origin and folder it is served from, so that browsers may keep it for good and an old page still finds what it pins:
 * `<script type="module" src="…{path}" integrity="{integrity}" crossorigin></script>`.
 */
export const elementsScript = {
  source: quittance_elements,
  integrity,
  path: `/elements/${integrity.slice('sha384-'.length).replace(/\W/g, '').slice(0, 16)}.js`,
} as const

/** The response to a request for the script; null for any other path. Any page may load it: it holds no secret. */
export function serveElementsScript(path: string): PageResponse | null {
  if (path !== elementsScript.path) return null
  return {
    status: 200,
    headers: {
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
      'x-content-type-options': 'nosniff',
    },
    body: elementsScript.source,
  }
}
