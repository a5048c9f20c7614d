import { newRequestId, option, refuseWrongOptions, stackOf } from '@quittance/core'
import { elementsScript, serveElementsScript } from './elements/elements-script.ts'
import { languageOf } from './language.ts'
import { type ElementFrames, madeTokens } from './made-tokens.ts'
import type { HostedPages, PageResponse } from './message.ts'
import { contentSecurityPolicy } from './policy.ts'
import { submitForm } from './submit-form.ts'
import { typed_tokens } from './token-fields.ts'
import { deadLink, openPage, type PagesEngine, plainPage, showPage, type Visit } from './visit.ts'

export interface HostedPagesOptions {
  /**
   * Where Elements find their frames. If left out, pages of the sandbox take its tokens as typed text, and live pages say
   * that they are not set up.
   */
  elements?: ElementFrames | undefined
}

/**
 * The hosted pages of an engine: `/checkout/<token>` and `/pay/<token>` under its `publicUrl`, and the module of
 * Elements in `/checkout/elements`, for them and for a merchant's own pages.
 */
export function hostedPages(engine: PagesEngine, options: HostedPagesOptions = {}): HostedPages {
  if (!engine?.publicUrl) throw new TypeError('Hosted pages are those of an engine: `hostedPages(engine)`.')
  refuseWrongOptions('hostedPages', options, { elements: option.object })
  const { elements } = options
  const prefix = new URL(engine.publicUrl).pathname.replace(/\/$/, '')
  const script_url = new URL(`${prefix}/checkout${elementsScript.path}`, engine.publicUrl)
  const token_fields = elements === undefined ? typed_tokens : madeTokens(elements, script_url)
  const paying: Visit['paying'] = new Map()
  return (request, takeTurn) => {
    const [path = '', query] = request.target.split('?')
    if (!path.startsWith(prefix)) return null
    const [, folder, token = ''] = /^\/(checkout|pay)\/(.*)$/.exec(path.slice(prefix.length)) ?? []
    if (folder === undefined) return null
    const script = folder === 'checkout' && request.method === 'GET' ? serveElementsScript(`/${token}`) : null
    if (script !== null) return Promise.resolve(script)
    const kind = folder === 'pay' ? 'invoice' : 'checkout_session'
    const language = languageOf(request)
    const [, paid, outcome_of] = /^(paid)(?:=(\w+))?$/.exec(query ?? '') ?? []
    return answer({
      engine,
      request,
      language,
      token_fields,
      takeTurn,
      kind,
      token,
      path,
      just_paid: paid !== undefined,
      outcome_of,
      paying,
    })
  }
}

/** Never rejects: a fault is logged, without the address, which is as good as a key. */
async function answer(visit: Visit): Promise<PageResponse> {
  const { engine, request, kind } = visit
  const request_id = newRequestId(engine.ids)
  const respond = ({ headers, ...response }: PageResponse) => ({
    ...response,
    headers: { ...common_headers, 'request-id': request_id, ...headers },
  })
  try {
    return respond(await serve(visit))
  } catch (fault) {
    engine.logger.error('a hosted page failed', {
      request_id,
      method: request.method,
      kind,
      fault: stackOf(fault),
    })
    return respond(plainPage(visit, 500, { heading: 'fault', text: 'fault_text' }))
  }
}

async function serve(visit: Visit): Promise<PageResponse> {
  const { method } = visit.request
  if (method !== 'GET' && method !== 'POST') {
    const refused = plainPage(visit, 405, { heading: 'wrong_method', text: 'wrong_method_text' })
    return { ...refused, headers: { allow: 'GET, HEAD, POST' } }
  }
  const page = await openPage(visit)
  if (page === null) return plainPage(visit, 404, { heading: 'no_such_page', text: 'no_such_page_text' })
  if (page === 'revoked') return deadLink(visit)
  return method === 'POST' ? submitForm(visit, page) : showPage(visit, page)
}

/** On every response. The address of a page opens it, so it is kept from other sites, caches and frames. */
const common_headers = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': contentSecurityPolicy(null),
  'x-frame-options': 'DENY',
  // Under `no-referrer` browsers send `Origin: null` with our own forms.
  'referrer-policy': 'same-origin',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
}
