import { readFileSync } from 'node:fs'
import {
  type AddressInfo,
  connect,
  createServer as createTcpServer,
  type Server,
  type Socket,
} from 'node:net'
import { createServer as createTlsServer, type TlsOptions } from 'node:tls'
import { onTestFinished } from 'vitest'
import {
  type AddressResolver,
  createSender,
  type Dial,
  type Sender,
  type SenderOptions,
} from '../src/index.ts'

export const public_address = '93.184.216.34'
export const authority = certificate('authority')

export const hook_url = 'https://hooks.example.com/hook?tenant=1'

export interface Receiver {
  port: number
  /** Connections accepted, and application bytes received, over all of them. */
  connections: number
  received: Buffer
  close(): Promise<void>
}

/** Plays `serve` for each connection; over TLS unless `tls` is null. Listens on a free port of 127.0.0.1. */
export async function receiver(
  serve: (socket: Socket, receiver: Receiver) => void,
  tls: TlsOptions | null = identity('receiver'),
): Promise<Receiver> {
  const sockets = new Set<Socket>()
  const accept = (socket: Socket) => {
    socket.on('error', () => {})
    serve(socket, self)
  }
  const server: Server = tls === null ? createTcpServer(accept) : createTlsServer(tls, accept)
  server.on('connection', (socket: Socket) => {
    self.connections += 1
    sockets.add(socket)
    socket.on('error', () => {})
  })
  const self: Receiver = {
    port: 0,
    connections: 0,
    received: Buffer.alloc(0),
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  self.port = (server.address() as AddressInfo).port
  return self
}

/** Calls `answer` once a whole request has come, for each of the requests of a connection. */
export function onRequest(socket: Socket, receiver: Receiver, answer: () => void): void {
  let pending = Buffer.alloc(0)
  socket.on('data', (chunk: Buffer) => {
    receiver.received = Buffer.concat([receiver.received, chunk])
    pending = Buffer.concat([pending, chunk])
    const end = requestEnd(pending)
    if (end === null) return
    pending = pending.subarray(end)
    answer()
  })
}

export function identity(name: 'receiver' | 'ip-only' | 'self-signed'): TlsOptions {
  return { cert: certificate(name), key: certificate(`${name}.key`) }
}

/** Public names resolve to public addresses, which pass the real check; the wire then ends at `port` here. */
export function senderTo(
  port: number,
  options: Partial<SenderOptions> & { resolves_to?: readonly string[] } = {},
): { sender: Sender; dialled: string[][] } {
  const dialled: string[][] = []
  const dial: Dial = ({ addresses }) => {
    dialled.push([...addresses])
    return connect({ port, host: '127.0.0.1', noDelay: true })
  }
  const { resolves_to = [public_address], ...rest } = options
  const resolver = resolving(async () => resolves_to)
  const sender = createSender({ allowInsecureDestinations: false, resolver, dial, ca: authority, ...rest })
  return { sender, dialled }
}

export function resolving(resolve: AddressResolver['resolve']): AddressResolver {
  return { resolve }
}

type Answer = (socket: Socket) => string | Buffer

/** A receiver that answers every request the same way, and a sender to it; both closed after the test. */
export async function answering(answer: Answer, isClosedAfter = false, options: Partial<SenderOptions> = {}) {
  const target: Receiver = await receiver((socket, self) =>
    onRequest(socket, self, () => {
      const response = answer(socket)
      if (response.length > 0) socket.write(response)
      if (isClosedAfter) socket.end()
    }),
  )
  const { sender, dialled } = senderTo(target.port, options)
  onTestFinished(() => target.close())
  onTestFinished(() => sender.close())
  const send = (delivery: { headers?: Record<string, string>; body?: string | Buffer } = {}) =>
    sender.send({ url: hook_url, headers: {}, body: '{}', ...delivery })
  return { target, sender, send, dialled }
}

function requestEnd(bytes: Buffer): number | null {
  const head = bytes.indexOf('\r\n\r\n')
  if (head === -1) return null
  const [, length] = /content-length: (\d+)/i.exec(bytes.subarray(0, head).toString('latin1')) ?? []
  const end = head + 4 + Number(length ?? 0)
  return bytes.length >= end ? end : null
}

function certificate(name: string): string {
  return readFileSync(new URL(`./certificates/${name}.pem`, import.meta.url), 'utf8')
}
