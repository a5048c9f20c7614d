import { once } from 'node:events'
import { connect } from 'node:net'

/**
 * Begins an upload in frames written by hand, and breaks it off with this code before it ends; then waits until the
 * server has read all that. Node's own client ends an upload before it breaks it off.
 */
export async function breakOff(
  origin: string,
  upload: { fields: readonly (readonly [name: string, value: string])[]; body: string | Uint8Array },
  code: number,
): Promise<void> {
  const { hostname, port } = new URL(origin)
  const socket = connect(Number(port), hostname)
  const fields = upload.fields.map(([name, value]) =>
    Buffer.concat([Buffer.of(0), sized(name), sized(value)]),
  )
  const reset = Buffer.alloc(4)
  reset.writeUInt32BE(code)
  socket.write('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')
  socket.write(frame('settings', 0, Buffer.alloc(0)))
  socket.write(frame('headers', 1, Buffer.concat(fields)))
  socket.write(frame('data', 1, Buffer.from(upload.body)))
  socket.write(frame('rst_stream', 1, reset))
  // The pong comes once the server has read the rest.
  socket.write(frame('ping', 0, pinged))
  let received = Buffer.alloc(0)
  while (!received.includes(pinged)) {
    const [chunk] = await once(socket, 'data')
    received = Buffer.concat([received, chunk])
  }
  socket.destroy()
}

const pinged = Buffer.from('are done')
/** Type and flags (RFC 9113, 6). The headers are complete in their frame; no data frame is the last one. */
const types = { data: [0, 0], headers: [1, 4], rst_stream: [3, 0], settings: [4, 0], ping: [6, 0] } as const

function frame(type: keyof typeof types, stream: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(9)
  head.writeUIntBE(payload.length, 0, 3)
  head.set(types[type], 3)
  head.writeUInt32BE(stream, 5)
  return Buffer.concat([head, payload])
}

/** A text of fewer than 127 bytes, after its length. */
const sized = (text: string) => Buffer.concat([Buffer.of(text.length), Buffer.from(text)])
