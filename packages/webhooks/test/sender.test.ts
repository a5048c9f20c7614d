import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TlsOptions } from 'node:tls'
import { describe, expect, it, onTestFinished } from 'vitest'
import { freePort } from '../../../tests/free-port.ts'
import { createSender, type SenderOptions } from '../src/index.ts'
import {
  answering,
  hook_url,
  identity,
  onRequest,
  receiver,
  resolving,
  senderTo,
} from './scripted-receiver.ts'

const ok = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'
const success = { response_status: 200, error: null }

describe('the service sends a POST with the body that was signed', () => {
  it('keeps bytes, headers, host and path as given', async () => {
    const { target, send } = await answering(() => ok)
    const body = Buffer.from('{"name":"Zoë"}')
    expect(await send({ headers: { 'Service-Event-Id': 'evt_test_1' }, body })).toEqual(success)
    const [head, sent] = target.received.toString().split('\r\n\r\n')
    expect(head?.split('\r\n')[0]).toBe('POST /hook?tenant=1 HTTP/1.1')
    expect(head?.toLowerCase()).toContain('\r\nhost: hooks.example.com\r\n')
    expect(head).toContain('Service-Event-Id: evt_test_1')
    expect(head).toContain(`content-length: ${body.length}`)
    expect(sent).toBe('{"name":"Zoë"}')
  })

  it('throws for a header that is none, which is no outcome of an attempt', async () => {
    const { send } = await answering(() => ok)
    await expect(send({ headers: { 'Service-Event-Id': 'a\r\nb' }, body: '' })).rejects.toThrow('header')
  })
})

it('names a host with a dot at its end without it in the handshake, where no name may end with one', async () => {
  const named: string[] = []
  const SNICallback: TlsOptions['SNICallback'] = (name, answer) => {
    named.push(name)
    answer(null)
  }
  const target = await receiver((socket, self) => onRequest(socket, self, () => socket.write(ok)), {
    ...identity('receiver'),
    SNICallback,
  })
  onTestFinished(() => target.close())
  const { sender } = senderTo(target.port)
  onTestFinished(() => sender.close())
  const request = { url: 'https://hooks.example.com./hook', headers: {}, body: '' }
  expect(await sender.send(request)).toEqual(success)
  expect(named).toEqual(['hooks.example.com'])
})

describe('connections are kept alive', () => {
  it('uses one connection for one delivery after the other', async () => {
    const { target, send } = await answering(() => ok)
    for (let sent = 0; sent < 20; sent += 1) expect(await send()).toEqual(success)
    expect(target.connections).toBe(1)
  })

  it('opens a connection for each delivery under way, and not more', async () => {
    const { target, send } = await answering(() => ok)
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => send()))
    expect(outcomes).toEqual(Array.from({ length: 10 }, () => success))
    expect(target.connections).toBe(10)
  })

  it('sends again on a new connection after the receiver closed an idle one', async () => {
    const { target, send } = await answering(() => `${ok.slice(0, -2)}Connection: close\r\n\r\n`)
    expect([await send(), await send()]).toEqual([success, success])
    expect(target.connections).toBe(2)
  })

  it('expects receivers to close connections without having said so', async () => {
    const { target, send } = await answering(() => ok, true)
    for (let sent = 0; sent < 20; sent += 1) expect(await send()).toEqual(success)
    expect(target.connections).toBe(20)
  })

  it.each([
    ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
    [
      'two lengths, the other way round',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n',
    ],
    ['a second response nobody asked for', `${ok}HTTP/1.1 500 X\r\nContent-Length: 0\r\n\r\n`],
    ['bytes after the body', `${ok}surplus`],
    ['a body past 64 KiB', `HTTP/1.1 200 OK\r\nContent-Length: 65537\r\n\r\n${'x'.repeat(65_537)}`],
    [
      'a chunked body past 64 KiB',
      `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n14000\r\n${'x'.repeat(81_920)}\r\n0\r\n\r\n`,
    ],
  ])('does not use a connection again after %s', async (_shape, response) => {
    const answers = [response, ok]
    const { target, send } = await answering(() => answers.shift() ?? ok)
    await send()
    expect(await send()).toEqual(success)
    expect(target.connections).toBe(2)
  })
})

describe('one clock covers the whole attempt', () => {
  it('includes name resolution, and sends nothing after it ran out', async () => {
    let resolved = (_addresses: string[]) => {}
    const resolver = resolving(
      () =>
        new Promise((resolve) => {
          resolved = resolve
        }),
    )
    const { target, send, dialled } = await answering(() => ok, false, { timeoutMs: 20, resolver })
    expect(await send()).toEqual({ response_status: null, error: 'timeout' })
    await new Promise((resolve) => setImmediate(resolve))
    resolved(['93.184.216.34'])
    await new Promise((resolve) => setImmediate(resolve))
    expect(dialled).toEqual([])
    expect(target.received).toHaveLength(0)
  })

  it('includes the TLS handshake', async () => {
    const silent = await receiver(() => {}, null)
    onTestFinished(() => silent.close())
    const { sender } = senderTo(silent.port, { timeoutMs: 50 })
    onTestFinished(() => sender.close())
    expect(await sender.send({ url: hook_url, headers: {}, body: '' })).toEqual({
      response_status: null,
      error: 'timeout',
    })
  })

  it('closes the connection of an attempt that ran out', async () => {
    let closed = false
    const { send } = await answering(
      (socket) => {
        socket.on('close', () => {
          closed = true
        })
        return 'HTTP/1.1 200'
      },
      false,
      // Long enough to reach the receiver on a machine that stalls.
      { timeoutMs: 1_000 },
    )
    expect(await send()).toEqual({ response_status: null, error: 'timeout' })
    await expect.poll(() => closed).toBe(true)
  })
})

describe('what cannot be connected to', () => {
  it('is called connection refused where nothing listens', async () => {
    const { sender } = senderTo(await freePort())
    onTestFinished(() => sender.close())
    expect(await sender.send({ url: hook_url, headers: {}, body: '' })).toEqual({
      response_status: null,
      error: 'connection refused',
    })
  })

  it('is called dns where a name has no addresses', async () => {
    const { send } = await answering(() => ok, false, { resolver: resolving(async () => []) })
    expect(await send()).toEqual({ response_status: null, error: 'dns' })
  })

  it('recovers with the next attempt', async () => {
    const answers: string[][] = [[], ['93.184.216.34']]
    const { send } = await answering(() => ok, false, {
      resolver: resolving(async () => answers.shift() ?? []),
    })
    expect((await send()).error).toBe('dns')
    expect(await send()).toEqual(success)
  })
})

describe('insecure destinations are for local development', () => {
  it.each([undefined, 'false'])(
    'and %s does not say whether they are reached',
    (allowInsecureDestinations) => {
      const options = { allowInsecureDestinations } as unknown as SenderOptions
      expect(() => createSender(options)).toThrow(
        '`allowInsecureDestinations` of createSender is true or false',
      )
    },
  )

  it('are reached over http, localhost by name, with nothing of the test in between', async () => {
    const server = createServer((_request, response) => response.end('ok'))
    await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve))
    const { port } = server.address() as AddressInfo
    onTestFinished(() => new Promise((resolve) => server.close(() => resolve())))

    const insecure = createSender({ allowInsecureDestinations: true })
    const strict = createSender({ allowInsecureDestinations: false })
    onTestFinished(() => insecure.close())
    onTestFinished(() => strict.close())
    const local = { url: `http://localhost:${port}/`, headers: {}, body: '{}' }
    expect(await insecure.send(local)).toEqual(success)
    expect(await strict.send(local)).toEqual({ response_status: null, error: 'host not allowed' })
    expect(await strict.send({ ...local, url: `https://127.0.0.1:${port}/` })).toEqual({
      response_status: null,
      error: 'host not allowed',
    })
  })
})

describe('closing', () => {
  it('waits for the attempts under way, and takes no more', async () => {
    let respond = () => {}
    const asked = Promise.withResolvers<void>()
    const { sender, send } = await answering((socket) => {
      respond = () => socket.write(ok)
      asked.resolve()
      return ''
    })
    const sent = send()
    await asked.promise
    const closed = sender.close()
    respond()
    await closed
    expect(await sent).toEqual(success)
    await expect(send()).rejects.toThrow('The sender is closed')
  })

  it('bounds the connections it keeps', async () => {
    const { target, sender } = await answering(() => ok, false, { maxIdleConnections: 2 })
    const to = async (name: string) => {
      const outcome = await sender.send({ url: `https://${name}.example.com/`, headers: {}, body: '' })
      expect(outcome).toEqual(success)
      return target.connections
    }
    expect([await to('a'), await to('b'), await to('c')]).toEqual([1, 2, 3])
    expect([await to('a'), await to('b'), await to('c')]).toEqual([3, 3, 4])
    expect([await to('a'), await to('b'), await to('c')]).toEqual([4, 4, 5])
  })
})
