import { once } from 'node:events'
import { type ClientHttp2Session, constants } from 'node:http2'
import { expect, onTestFinished } from 'vitest'
import { it } from '../suite.ts'
import { limit_bytes } from './body-requests.ts'
import { meant } from './describe-answers.ts'
import { paymentsOf, settled } from './describe-clients.ts'
import { answerOn, begun, exchangeOn, fieldsOf, openSession } from './http2-exchange.ts'
import { breakOff } from './http2-frames.ts'
import { charge, read } from './requests.ts'
import { openTwins, type Tried, type Twins } from './twins.ts'

const closed_within_ms = 10_000

/** What holds in HTTP/2, where requests share a connection, and each has a stream of its own. */
export function describeStreams(tried: Tried): void {
  it('gives every stream of a connection its own answer', async () => {
    const { session, fill } = await openStreams(tried)
    const names = Array.from({ length: 20 }, (_, number) => `nobody-${number}`)
    const answers = await Promise.all(
      names.map((name) => exchangeOn(session, fill({ ...read, path: `/payments?${name}=1` }))),
    )
    expect(answers.map(({ body }) => JSON.parse(body).error.param)).toEqual(names)
  })

  // Node ends such a stream as if it were complete, and only `aborted` tells.
  it.each(['NGHTTP2_NO_ERROR', 'NGHTTP2_CANCEL'] as const)(
    'never takes half a body for a whole one (%s)',
    async (code) => {
      const twins = await openTwins(tried)
      const { body = '', ...head } = twins.fill(charge)
      // What arrives is JSON that charges: only its end is missing.
      await breakOff(twins.mounted.origin, { fields: fieldsOf(head), body }, constants[code])
      const { status, headers } = await settled(twins, charge)
      expect([status, headers['idempotent-replayed']], 'the first charge under this key').toEqual([
        200,
        undefined,
      ])
      expect(await paymentsOf(twins)).toHaveLength(2)
    },
  )

  it('charges once if the client leaves before its answer and asks again', async () => {
    const twins = await openStreams(tried)
    const left = begun(twins.session, twins.fill(charge)).on('error', () => undefined)
    left.end(twins.fill(charge).body)
    await once(left, 'finish')
    left.close(constants.NGHTTP2_CANCEL)
    await once(left, 'close')
    expect((await settled(twins, charge)).status).toBe(200)
    expect(await paymentsOf(twins)).toHaveLength(2)
    expect((await exchangeOn(twins.session, twins.fill(read))).status).toBe(200)
  })

  if (tried.host_answers.includes('announced_bodies')) return

  it('refuses a body announced as too large before it is sent, and keeps the connection open', async () => {
    const twins = await openStreams(tried)
    const { body: _, ...request } = twins.fill({ ...charge, name: 'a charge announced as too large' })
    const announced = [...request.headers, ['Content-Length', String(limit_bytes + 1)] as const]
    const answer = await answerOn(begun(twins.session, { ...request, headers: announced }), request)
    const plain = await twins.plainly({ ...request, body: ' '.repeat(limit_bytes + 1) })
    expect(answer.body).toContain(`The body is larger than ${limit_bytes} bytes.`)
    expect(meant(answer)).toEqual(meant(plain))
    expect((await exchangeOn(twins.session, twins.fill(read))).status).toBe(200)
  })

  if (tried.host_answers.some((one) => one === 'unread_bodies' || one === 'parsed_bodies')) return

  it('answers a client that keeps sending a body that is too large, and then closes only its stream', async () => {
    const { session, fill, plainly } = await openStreams(tried)
    const request = fill({ ...charge, chunked: true })
    const upload = begun(session, request).on('error', () => undefined)
    const flood = () => {
      while (upload.writable && upload.write(Buffer.alloc(65_536, ' ')));
    }
    upload.on('drain', flood)
    const closed = once(upload, 'aborted')
    const timer = setTimeout(() => upload.close(constants.NGHTTP2_CANCEL), closed_within_ms)
    // Listened for from the beginning: the head is emitted once.
    const answered = answerOn(upload, request)
    flood()
    const plain = await plainly({ ...request, body: ' '.repeat(limit_bytes + 1) })
    expect(meant(await answered)).toEqual(meant(plain))
    await closed
    clearTimeout(timer)
    // Another code may lose the response; without any, the client would send for ever.
    expect(upload.rstCode, 'how its stream is closed after the answer').toBe(constants.NGHTTP2_NO_ERROR)
    expect((await exchangeOn(session, fill(read))).status).toBe(200)
  })
}

async function openStreams(tried: Tried): Promise<Twins & { session: ClientHttp2Session }> {
  const twins = await openTwins(tried)
  const session = openSession(twins.mounted.origin)
  onTestFinished(() => session.destroy())
  return { ...twins, session }
}
