import { connect, Socket } from 'node:net'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { freePort } from '../../../tests/free-port.ts'
import { createSender, type SenderOptions } from '../src/index.ts'
import { authority, hook_url, identity, onRequest, receiver, resolving } from './scripted-receiver.ts'

const there = resolving(async () => ['93.184.216.34'])

function sendWith(options: Partial<SenderOptions>) {
  const sender = createSender({ allowInsecureDestinations: false, ...options })
  onTestFinished(() => sender.close())
  return sender.send({ url: hook_url, headers: {}, body: '' })
}

describe('an attempt is none, and says which option is wrong,', () => {
  // The process ended: the socket that was none had no `destroy`.
  it.each<[string, () => unknown]>([
    ['nothing', () => undefined],
    ['a promise', async () => undefined],
    ['a promise that rejects', () => Promise.reject(new Error('late'))],
    ['a promise of a socket that fails', async () => connect(await freePort(), '127.0.0.1')],
    ['an object', () => ({ on: () => {}, once: () => {} })],
  ])('if `dial` gives %s for a socket', async (_what, dial) => {
    const sent = sendWith({ resolver: there, dial: dial as NonNullable<SenderOptions['dial']> })
    await expect(sent).rejects.toThrow('`dial` gives a socket, at once')
  })

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['a text', '93.184.216.34'],
    ['the answers of `lookup`', [{ address: '93.184.216.34', family: 4 }]],
    ['a name', ['other.example.com']],
    ['null', [null]],
  ])('if `resolver` gives %s for addresses', async (_what, answer) => {
    const sent = sendWith({ resolver: resolving(async () => answer as string[]) })
    await expect(sent).rejects.toThrow('`resolver` gives a list of IP addresses')
  })
})

it('a connection of the host that closes without an error is called connection reset', async () => {
  const sent = sendWith({ resolver: there, dial: () => new Socket().destroy(), timeoutMs: 2_000 })
  expect(await sent).toEqual({ response_status: null, error: 'connection reset' })
})

it('a sender that is closed keeps no connection open', async () => {
  const ok = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'
  const target = await receiver((socket, self) => onRequest(socket, self, () => socket.write(ok)))
  onTestFinished(() => target.close())
  const socket = connect(target.port, '127.0.0.1')
  const options = { resolver: there, dial: () => socket, ca: authority }
  const sender = createSender({ allowInsecureDestinations: false, ...options })
  await sender.send({ url: hook_url, headers: {}, body: '' })
  expect(socket.destroyed).toBe(false)
  await sender.close()
  await new Promise((resolve) => setImmediate(resolve))
  expect(socket.destroyed).toBe(true)
})

it('a sender trusts nobody else where the host trusts everybody', async () => {
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0')
  onTestFinished(() => void vi.unstubAllEnvs())
  const target = await receiver((socket) => socket.resume(), identity('self-signed'))
  onTestFinished(() => target.close())
  const dial = () => connect(target.port, '127.0.0.1')
  const sent = sendWith({ resolver: there, dial, timeoutMs: 1_000 })
  expect(await sent).toEqual({ response_status: null, error: 'tls' })
  expect(target.received).toHaveLength(0)
})

it.each(['', 'no certificate', '/etc/ssl/certs/ca.pem'])('a sender refuses %j for a `ca`', (ca) => {
  // Node ignores it, and trusts nobody: every attempt would fail.
  expect(() => createSender({ allowInsecureDestinations: false, ca })).toThrow('`ca` of createSender is PEM')
})
