import type { HostedPages, PageResponse } from './message.ts'
import { content_security_policy } from './style.ts'
import { submitForm } from './submit-form.ts'
import { openPage, type PagesEngine, plainPage, showPage, type Visit } from './visit.ts'

/** The hosted pages of an engine: `/checkout/<token>` and `/pay/<token>` under its `publicUrl`. */
export function hostedPages(engine: PagesEngine): HostedPages {
  const prefix = new URL(engine.publicUrl).pathname.replace(/\/$/, '')
  const paying: Visit['paying'] = new Map()
  return (request, takeTurn) => {
    const [path = '', query] = request.target.split('?')
    if (!path.startsWith(prefix)) return null
    const [, folder, token = ''] = /^\/(checkout|pay)\/(.*)$/.exec(path.slice(prefix.length)) ?? []
    if (folder === undefined) return null
    const kind = folder === 'pay' ? 'invoice' : 'checkout_session'
    return answer({ engine, request, takeTurn, kind, token, path, just_paid: query === 'paid', paying })
  }
}

/** Never rejects: a fault is logged, without the address, which is as good as a key. */
async function answer(visit: Visit): Promise<PageResponse> {
  const { engine, request, kind } = visit
  const request_id = `req_${engine.ids.secret(24)}`
  const respond = ({ headers, ...response }: PageResponse) => ({
    ...response,
    headers: { ...common_headers, 'request-id': request_id, ...headers },
  })
  try {
    return respond(await serve(visit))
  } catch (fault) {
    const stack = fault instanceof Error ? fault.stack : String(fault)
    engine.logger.error('a hosted page failed', { request_id, method: request.method, kind, fault: stack })
    return respond(
      plainPage(500, {
        heading: 'Something failed on our side',
        text: 'Please open this page again: it shows whether a payment was made.',
      }),
    )
  }
}

async function serve(visit: Visit): Promise<PageResponse> {
  const { method } = visit.request
  if (method !== 'GET' && method !== 'POST') {
    const text = 'Please open this page in a browser.'
    const refused = plainPage(405, { heading: 'This cannot be done here', text })
    return { ...refused, headers: { allow: 'GET, HEAD, POST' } }
  }
  const page = await openPage(visit)
  if (page === null) {
    const text = 'Please check the address, or ask who sent it to you.'
    return plainPage(404, { heading: 'There is no such page', text })
  }
  if (page === 'revoked') {
    const text = 'Please ask the merchant to send the invoice again.'
    return plainPage(410, { heading: 'This link no longer works', text })
  }
  return method === 'POST' ? submitForm(visit, page) : showPage(visit, page)
}

/** On every answer. The address of a page opens it, so it is kept from other sites, caches and frames. */
const common_headers = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': content_security_policy,
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
}
