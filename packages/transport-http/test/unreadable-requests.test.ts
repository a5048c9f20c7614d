import { EventEmitter, once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { toNodeListener } from '../src/node.ts'
import { answerUnreadableRequests } from '../src/unreadable-requests.ts'

const slow = new EventEmitter<{ asked: [ServerResponse] }>()
const handled = async () => ({ status: 200, headers: {}, body: 'handled' })
const listener = toNodeListener(handled)
const server = createServer({ requireHostHeader: false }, (req, res) => {
  if (req.url === '/slow') slow.emit('asked', res)
  else listener(req, res)
})
answerUnreadableRequests(server)
// A second call changes nothing.
answerUnreadableRequests(server)
beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)))
afterAll(() => new Promise((resolve) => server.close(resolve)))

/** What comes back for raw bytes, until the server hangs up. */
function exchange(bytes: string, by: Server = server): Promise<string> {
  return new Promise((resolve, reject) => {
    let received = ''
    const socket = connect((by.address() as AddressInfo).port, '127.0.0.1', () => socket.write(bytes))
    socket.on('data', (chunk) => {
      received += chunk
    })
    socket.on('close', () => resolve(received)).on('error', reject)
  })
}

it.each([
  ['an unknown method', 'FOO / HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['a broken request line', 'GET\r\n\r\n'],
  ['headers that are too large', `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(40_000)}\r\n\r\n`],
  ['a tunnel', 'CONNECT a:80 HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['a request without Host', 'GET / HTTP/1.1\r\nConnection: close\r\n\r\n'],
  ['an unknown expectation', 'GET / HTTP/1.1\r\nHost: a\r\nExpect: zzz\r\nConnection: close\r\n\r\n'],
])('answers %s with the envelope and the headers of every answer', async (_name, bytes) => {
  const [head = '', body = ''] = (await exchange(bytes)).split('\r\n\r\n')
  expect(head).toMatch(/^HTTP\/1\.1 400 Bad Request/)
  expect(head.toLowerCase()).toContain('cache-control: no-store')
  const { error } = JSON.parse(body)
  expect(error).toMatchObject({ type: 'invalid_request_error', code: 'parameter_invalid' })
  expect(head.toLowerCase()).toContain(`request-id: ${error.request_id}`.toLowerCase())
})

it('answers it after what was asked before on the connection, however much nonsense follows', async () => {
  const asked = once(slow, 'asked')
  const refused = once(server, 'clientError')
  const received = exchange('POST /slow HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\nnonsense\r\n\r\n')
  const [[res], [, socket]] = await Promise.all([asked, refused])
  server.emit('clientError', new Error('the next chunk'), socket)
  res.end('done')
  expect((await received).match(/^HTTP\/1\.1 \d+|done|parameter_invalid/gm)).toEqual([
    'HTTP/1.1 200',
    'done',
    'parameter_invalid',
  ])
})

it('does not close the connection of a client that still sends, which could lose the answer', async () => {
  const refused = once(server, 'clientError')
  const received = exchange('nonsense\r\n\r\n')
  const [, socket] = await refused
  server.emit('clientError', new Error('the next chunk'), socket)
  expect(socket.destroyed).toBe(false)
  expect(await received).toMatch(/^HTTP\/1\.1 400 Bad Request/)
})

it('answers a request whose body breaks off in its own turn, behind one that is still being answered', async () => {
  const asked = once(slow, 'asked')
  const refused = once(server, 'clientError')
  const broken = 'POST /slow HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzzz\r\n'
  const received = exchange(`GET /slow HTTP/1.1\r\nHost: a\r\n\r\n${broken}`)
  const [[first]] = await Promise.all([asked, refused])
  first.end('first')
  expect(await received).toMatch(/^HTTP\/1\.1 200 OK[\s\S]*firstHTTP\/1\.1 400 Bad Request/)
})

/** A client that was refused and does not hang up, and the server's end of its connection, which nobody else listens to. */
async function refused(by: Server, bytes: string): Promise<{ client: Socket; closed: Promise<unknown> }> {
  const opened = once(by, 'connection')
  const { port } = by.address() as AddressInfo
  const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  client.write(bytes)
  const answered = once(client, 'data')
  const [socket] = await opened
  const closed = new Promise((resolve) => socket.once('close', resolve))
  await answered
  return { client, closed }
}

const tunnel = 'CONNECT a:80 HTTP/1.1\r\nHost: a\r\n\r\n'

it('says nothing to a client of a host that tunnels', async () => {
  const tunnelling = createServer(listener).on('connect', (_req, socket) => {
    socket.write('tunnelled')
    setImmediate(() => socket.end())
  })
  answerUnreadableRequests(tunnelling)
  await new Promise<void>((resolve) => tunnelling.listen(0, '127.0.0.1', resolve))
  expect(await exchange(tunnel, tunnelling)).toBe('tunnelled')
  await new Promise((resolve) => tunnelling.close(resolve))
})

it('outlives a client that asks for a tunnel and resets the connection', async () => {
  const { client, closed } = await refused(server, tunnel)
  client.resetAndDestroy()
  await closed
})

it('hangs up on a client that was refused a tunnel and does not', async () => {
  const { client, closed } = await refused(server, tunnel)
  await closed
  client.destroy()
})

it('hangs up on a client that Node has timed out and that does not', async () => {
  const impatient = createServer({ headersTimeout: 50, connectionsCheckingInterval: 20 }, listener)
  answerUnreadableRequests(impatient)
  await new Promise<void>((resolve) => impatient.listen(0, '127.0.0.1', resolve))
  const { client, closed } = await refused(impatient, 'GET / HTTP/1.1\r\nHost: a')
  await closed
  client.destroy()
  await new Promise((resolve) => impatient.close(resolve))
})

it('leaves no connection to node:https open whose handshake does not come', async () => {
  const secure = createSecureServer({ handshakeTimeout: 50 })
  answerUnreadableRequests(secure)
  await new Promise<void>((resolve) => secure.listen(0, '127.0.0.1', resolve))
  const failed = once(secure, 'tlsClientError')
  const client = connect((secure.address() as AddressInfo).port, '127.0.0.1').resume()
  const [, socket] = await failed
  expect(socket.destroyed).toBe(true)
  await once(client, 'close')
  await new Promise((resolve) => secure.close(resolve))
})
