import { escapedFault } from '@quittance/transport-http'
import { expect } from 'vitest'
import { describe, it } from '../suite.ts'
import { body_requests } from './body-requests.ts'
import { hostile_requests } from './hostile-requests.ts'
import type { RawAnswer } from './raw-http.ts'
import { type HostAnswer, read, suite_requests } from './requests.ts'
import { openTwins, type Tried } from './twins.ts'

const single_requests = [...suite_requests, ...body_requests]

export function describeAnswers(tried: Tried): void {
  const { host_answers } = tried
  const by_host = ({ may_be }: { may_be?: HostAnswer }) =>
    may_be !== undefined && host_answers.includes(may_be)

  it.each(single_requests.filter((request) => !by_host(request)))(
    'answers like the plain handler: $name',
    async (request) => {
      const { ask, fill, plainly } = await openTwins(tried)
      const sent = fill(request)
      const answer = await ask(sent)
      const plain = await plainly(sent)
      expect(meant(answer)).toEqual(meant(plain))
    },
  )

  it('answers like the plain handler to hostile bodies, paths, queries and headers', async () => {
    const { ask, fill, plainly } = await openTwins(tried)
    for (const request of hostile_requests.filter((one) => !by_host(one))) {
      const sent = fill(request)
      const answer = await ask(sent)
      expect(answer.status, request.name).toBeLessThan(500)
      expect(meant(answer), request.name).toEqual(meant(await plainly(sent)))
    }
  })

  it('answers hostile bodies with a status below 500, even if the host parses them', async () => {
    const { ask, fill } = await openTwins(tried)
    for (const request of hostile_requests.filter(by_host)) {
      const { status } = await ask(fill(request))
      expect(status, request.name).toBeLessThan(500)
    }
  })

  it('tells a client that is too fast how long to wait', async () => {
    const { ask, fill, plainly } = await openTwins(tried, { rateLimit: { sandboxPerSecond: 0 } })
    const request = fill(read)
    const answer = await ask(request)
    expect([answer.status, answer.headers['retry-after']]).toEqual([429, '1'])
    expect(meant(answer)).toEqual(meant(await plainly(request)))
  })

  it('answers with an empty 500 if the handler throws, and then serves the next request', async () => {
    let breaks = true
    const { ask, fill, plainly } = await openTwins(tried, {
      between: (engine) => ({
        ...engine,
        get ids() {
          if (breaks) throw new Error('no handler catches that there are no ids')
          return engine.ids
        },
      }),
    })
    const request = fill(read)
    const { status, headers } = escapedFault
    const fault = { status, headers: { ...headers, 'content-length': '0' }, body: '' }
    expect(meant(await ask(request))).toEqual(meant(fault))
    breaks = false
    const answer = await ask(request)
    expect([answer.status, answer.body]).toEqual([200, (await plainly(request)).body])
  })

  it('does not serve a path that only begins like its mount', async () => {
    const { ask, fill, plainly } = await openTwins(tried)
    const account = { name: 'the account', method: 'GET' }
    const answer = await ask(fill({ ...account, path: 'x/account' }))
    const { body } = await plainly(fill({ ...account, path: '/account' }))
    expect(answer.body).not.toBe(body)
  })

  const left = single_requests.filter(by_host)
  if (left.length === 0) return
  describe('a request that the host answers itself', () => {
    it.each(left)('is answered all the same, and the next one too: $name', async (request) => {
      const { ask, fill, plainly } = await openTwins(tried)
      expect((await ask(fill(request))).status).toBeLessThan(500)
      const next = fill(read)
      const answer = await ask(next)
      expect([answer.status, answer.body]).toEqual([200, (await plainly(next)).body])
    })
  })
}

/** Headers that a client, a cache or a browser acts on, and that no host may add to ours. */
const acted_on =
  /^(access-control-.*|vary|content-.*|cache-control|etag|last-modified|location|allow|retry-after|request-id|idempotent-replayed|set-cookie|www-authenticate|x-content-type-options|transfer-encoding)$/

/** A response without what belongs to the connection, or is added by the host for its own use. */
export function meant({ status, headers, body }: RawAnswer): RawAnswer {
  const kept = Object.entries(headers).filter(([name]) => acted_on.test(name))
  return { status, headers: Object.fromEntries(kept.sort()), body }
}
