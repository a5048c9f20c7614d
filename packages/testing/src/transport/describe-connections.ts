import { once } from 'node:events'
import type { Socket } from 'node:net'
import { expect } from 'vitest'
import { it } from '../suite.ts'
import { limit_bytes } from './body-requests.ts'
import { meant } from './describe-answers.ts'
import { paymentsOf, settled } from './describe-clients.ts'
import {
  answered_within_ms,
  answersIn,
  bytesOf,
  exchange,
  exchangeAll,
  openSocket,
  receivedBy,
} from './raw-http.ts'
import { charge, read } from './requests.ts'
import { openTwins, type Tried } from './twins.ts'

/** What holds of the connections of HTTP/1.1. */
export function describeConnections(tried: Tried): void {
  const { host_answers } = tried
  it('answers the requests of one connection in the order they came', async () => {
    const { mounted, fill, plainly } = await openTwins(tried)
    const requests = [read, { ...read, method: 'HEAD' }, { ...read, path: '/nowhere' }, read].map(fill)
    const answers = await exchangeAll(mounted.origin, requests)
    expect(answers).toHaveLength(4)
    for (const [place, request] of requests.entries())
      expect(answers[place] && meant(answers[place])).toEqual(meant(await plainly(request)))
  })

  it('accepts a target with its scheme and host, as proxies send it', async () => {
    const { mounted, fill, plainly } = await openTwins(tried)
    const request = fill(read)
    const absolute = { ...request, target: `http://elsewhere.example.com${request.target}` }
    expect(meant(await exchange(mounted.origin, absolute))).toEqual(meant(await plainly(request)))
  })

  it('answers `Expect: 100-continue` with 100, and waits for the body', async () => {
    const { mounted, fill, plainly } = await openTwins(tried)
    const request = fill(charge)
    const socket = await openSocket(mounted.origin)
    const received = receivedBy(socket)
    const { length } = Buffer.from(request.body ?? '')
    const added = { 'Content-Length': String(length), Expect: '100-continue', Connection: 'close' }
    socket.write(bytesOf({ ...request, body: undefined }, Object.entries(added)))
    const [interim] = await once(socket, 'data')
    expect(String(interim)).toMatch(/^HTTP\/1\.1 100 /)
    socket.write(request.body ?? '')
    const [answer] = answersIn(await received, ['POST'])
    expect(answer && meant(answer)).toEqual(meant(await plainly(request)))
  })

  it.each([
    ['length', ' '],
    ['chunks', '0\r\n\r\n'],
  ])('never takes half a body for a whole one, framed by %s', async (framing, cut) => {
    const twins = await openTwins(tried)
    // What arrives is JSON that charges: only its end is missing.
    const broken_off = { ...charge, body: `${charge.body} `, chunked: framing === 'chunks' }
    const request = bytesOf(twins.fill(broken_off), [['Connection', 'close']])
    const socket = await openSocket(twins.mounted.origin)
    const closed = receivedBy(socket)
    socket.end(request.subarray(0, request.length - cut.length))
    await closed
    expect(await paymentsOf(twins)).toHaveLength(1)
  })

  it('charges once if the client leaves before its answer and asks again', async () => {
    const twins = await openTwins(tried)
    const request = twins.fill(charge)
    const socket = await openSocket(twins.mounted.origin)
    await new Promise((resolve) => socket.write(bytesOf(request), resolve))
    socket.destroy()
    await once(socket, 'close')
    const again = await settled(twins, charge)
    expect(again.status).toBe(200)
    expect(await paymentsOf(twins)).toHaveLength(2)
  })

  const reads_on = (['announced_bodies', 'unread_bodies'] as const).some((one) => host_answers.includes(one))
  if (!host_answers.includes('parsed_bodies')) itHangsUp(tried, { reads_on })
  if (host_answers.includes('announced_bodies')) return

  it('refuses a body announced as too large before it is sent', async () => {
    const { mounted, fill, plainly } = await openTwins(tried)
    // Nothing else may be wrong with it: a missing key would be refused before the body.
    const { body: _, ...request } = fill({ ...charge, name: 'a charge announced as too large' })
    const socket = await openSocket(mounted.origin)
    const received = receivedBy(socket)
    socket.setTimeout(answered_within_ms, () => socket.destroy())
    const announced = { 'Content-Length': String(limit_bytes + 1), Connection: 'close' }
    socket.write(bytesOf(request, Object.entries(announced)))
    const [answer] = answersIn(await received, ['POST'])
    const plain = await plainly({ ...request, body: ' '.repeat(limit_bytes + 1) })
    expect(answer, 'what was answered without the body').toBeDefined()
    expect(answer?.body).toContain(`The body is larger than ${limit_bytes} bytes.`)
    expect(answer && meant(answer)).toEqual(meant(plain))
  })
}

/** If the host reads on by itself, a client may have to send everything before it gets a response. */
function itHangsUp(tried: Tried, { reads_on }: { reads_on: boolean }): void {
  const too_large = { ...charge, body: ' '.repeat(3 * limit_bytes), chunked: true }

  it('loses no answer to a client that keeps sending a body that is too large', async () => {
    const { mounted, fill, plainly } = await openTwins(tried)
    const request = fill(too_large)
    const socket = await openSocket(mounted.origin)
    // The client reads only once it has sent everything: what came before is lost if the connection is reset.
    await Promise.race([sent(socket, bytesOf(request)), once(socket, 'close')])
    const [answer] = answersIn(await receivedBy(socket), ['POST'])
    expect(answer && meant(answer)).toEqual(meant(await plainly(request)))
  })

  if (reads_on) return

  it('says `Connection: close` to a client that keeps sending, and discards the rest for a moment', async () => {
    const { mounted, fill } = await openTwins(tried)
    const bytes = bytesOf(fill(too_large))
    const enough = limit_bytes + 65_536
    // More than once, because a busy machine may let the moment pass.
    for (let times = 1; ; times += 1) {
      const socket = await openSocket(mounted.origin)
      const received = receivedBy(socket)
      socket.write(bytes.subarray(0, enough))
      await Promise.race([once(socket, 'data'), once(socket, 'close')])
      let is_open = true
      for (let at = enough; is_open && at < bytes.length; at += 16_384)
        is_open = await sent(socket, bytes.subarray(at, at + 16_384))
      const [answer] = answersIn(await received, ['POST'])
      expect(answer?.headers.connection, 'the header `Connection`').toBe('close')
      if (is_open) return
      expect(times, 'times that the connection was closed before the rest was sent').toBeLessThan(3)
    }
  })
}

/** False if the connection is closed or reset. */
const sent = (socket: Socket, bytes: Uint8Array) =>
  new Promise<boolean>((resolve) => socket.write(bytes, (fault) => resolve(!fault)))
