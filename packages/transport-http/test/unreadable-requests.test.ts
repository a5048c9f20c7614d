import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { answerUnreadableRequests } from '../src/unreadable-requests.ts'

const server = createServer((_req, res) => res.end('handled'))
answerUnreadableRequests(server)
beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)))
afterAll(() => new Promise((resolve) => server.close(resolve)))

/** What comes back for raw bytes, until the server hangs up. */
function exchange(bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let received = ''
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1', () => socket.write(bytes))
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
  ['an unknown expectation', 'GET / HTTP/1.1\r\nHost: a\r\nExpect: zzz\r\nConnection: close\r\n\r\n'],
])('answers %s with the envelope and the headers of every answer', async (_name, bytes) => {
  const [head = '', body = ''] = (await exchange(bytes)).split('\r\n\r\n')
  expect(head).toMatch(/^HTTP\/1\.1 400 Bad Request/)
  expect(head.toLowerCase()).toContain('cache-control: no-store')
  const { error } = JSON.parse(body)
  expect(error).toMatchObject({ type: 'invalid_request_error', code: 'parameter_invalid' })
  expect(head.toLowerCase()).toContain(`request-id: ${error.request_id}`.toLowerCase())
})
