import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/** A response as it came over the socket. */
export interface RawAnswer {
  status: number
  /** Names in lower case; what came twice is joined by `, `. */
  headers: Record<string, string>
  /** As Latin-1, so that every byte can be compared. */
  body: string
}

export interface RawRequest {
  method: string
  target: string
  headers: readonly (readonly [name: string, value: string])[]
  body?: string | Uint8Array | undefined
  chunked?: boolean | undefined
}

/** For a response that must not wait; a transport that waits all the same would wait forever. */
export const answered_within_ms = 10_000

/** A connection over which nothing was sent yet. A reset also ends it: what had arrived by then counts. */
export async function openSocket(origin: string): Promise<Socket> {
  const { hostname, port } = new URL(origin)
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  return socket.on('error', () => undefined)
}

/** Sends one request byte by byte as given, and reads until the server hangs up. */
export async function exchange(origin: string, request: RawRequest): Promise<RawAnswer> {
  const [answer] = await exchangeAll(origin, [request])
  if (!answer) throw new Error(`${request.method} ${request.target} was not answered.`)
  return answer
}

/** Pipelines requests over one connection, and reads their responses in order. */
export async function exchangeAll(origin: string, requests: readonly RawRequest[]): Promise<RawAnswer[]> {
  const socket = await openSocket(origin)
  const received = receivedBy(socket)
  for (const [place, request] of requests.entries()) {
    const last = place === requests.length - 1
    socket.write(bytesOf(request, [['Connection', last ? 'close' : 'keep-alive']]))
  }
  return answersIn(
    await received,
    requests.map(({ method }) => method),
  )
}

/** Everything a connection receives until its end. */
export async function receivedBy(socket: Socket): Promise<string> {
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => void chunks.push(chunk))
  await new Promise((resolve) => socket.once('close', resolve))
  return Buffer.concat(chunks).toString('latin1')
}

/** Head and body of a request, with headers added. */
export function bytesOf(request: RawRequest, added: RawRequest['headers'] = []): Buffer {
  const { body, chunked } = request
  const sent = body === undefined ? undefined : Buffer.from(body)
  const framing = sent === undefined ? [] : [framingOf(sent, chunked)]
  const headers = [['Host', 'shop.example.com'], ...request.headers, ...framing, ...added]
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  const head = Buffer.from(`${request.method} ${request.target} HTTP/1.1\r\n${lines}\r\n`, 'latin1')
  if (sent === undefined) return head
  return Buffer.concat(chunked ? [head, ...chunksOf(sent)] : [head, sent])
}

const framingOf = (sent: Buffer, chunked = false): readonly [string, string] =>
  chunked ? ['Transfer-Encoding', 'chunked'] : ['Content-Length', String(sent.length)]

function chunksOf(sent: Buffer): Buffer[] {
  const parts: Buffer[] = []
  for (let at = 0; at < sent.length; at += 65_536) {
    const part = sent.subarray(at, at + 65_536)
    parts.push(Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n'))
  }
  return [...parts, Buffer.from('0\r\n\r\n')]
}

/** The responses in what a connection received, without interim ones (`100 Continue`). */
export function answersIn(received: string, methods: readonly string[]): RawAnswer[] {
  const answers: RawAnswer[] = []
  let rest = received
  if (rest !== '' && !rest.startsWith('HTTP/1.')) {
    throw new Error(
      `Not HTTP/1.1 (a transport of HTTP/2 says \`http2: true\`): ${JSON.stringify(rest.slice(0, 200))}`,
    )
  }
  while (rest !== '') {
    const end = rest.indexOf('\r\n\r\n')
    if (end === -1) throw new Error(`An answer breaks off: ${JSON.stringify(rest.slice(0, 200))}`)
    const { status, headers } = headIn(rest.slice(0, end))
    rest = rest.slice(end + 4)
    if (status < 200) continue
    const bodiless = methods[answers.length] === 'HEAD' || status === 204 || status === 304
    const { body, length } = bodiless ? { body: '', length: 0 } : bodyIn(rest, headers)
    answers.push({ status, headers, body })
    rest = rest.slice(length)
  }
  return answers
}

function headIn(head: string): Pick<RawAnswer, 'status' | 'headers'> {
  const [line = '', ...fields] = head.split('\r\n')
  const pairs = fields.map((field) => {
    const colon = field.indexOf(':')
    return [field.slice(0, colon), field.slice(colon + 1).trim()] as const
  })
  return { status: Number(line.split(' ')[1]), headers: joinedHeaders(pairs) }
}

export function joinedHeaders(pairs: RawRequest['headers']): RawAnswer['headers'] {
  const headers: Record<string, string> = {}
  for (const [given, value] of pairs) {
    const name = given.toLowerCase()
    headers[name] = name in headers ? `${headers[name]}, ${value}` : value
  }
  return headers
}

/** A body by its length, in chunks, or to the end of the connection. */
function bodyIn(rest: string, headers: RawAnswer['headers']): { body: string; length: number } {
  if (!/chunked/i.test(headers['transfer-encoding'] ?? '')) {
    const length = Math.min(rest.length, Number(headers['content-length'] ?? rest.length))
    return { body: rest.slice(0, length), length }
  }
  let body = ''
  let at = 0
  for (;;) {
    const line_end = rest.indexOf('\r\n', at)
    const size = Number.parseInt(rest.slice(at, line_end), 16)
    if (!(size > 0)) return { body, length: line_end + 4 }
    body += rest.slice(line_end + 2, line_end + 2 + size)
    at = line_end + 2 + size + 2
  }
}
