import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * A port of 127.0.0.1 that may be let go and taken again: below those that the system itself hands out (from 32768 on
 * Linux), which another test could get meanwhile.
 */
export async function freePort(): Promise<number> {
  const port = 20_000 + Math.floor(Math.random() * 12_000)
  const server = createServer().listen(port, '127.0.0.1')
  try {
    await once(server, 'listening')
  } catch {
    return freePort()
  }
  server.close()
  await once(server, 'close')
  return port
}
