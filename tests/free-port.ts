import { once } from 'node:events'
import { createServer } from 'node:net'

const lowest = 20_000
const shares = 12
const ports_of_one = 1_000

/** Of the processes that run tests at the same time each has a number of its own. */
const first = lowest + ports_of_one * (Number(process.env.VITEST_POOL_ID ?? 0) % shares)

let place = Math.floor(Math.random() * ports_of_one)

/**
 * A port of 127.0.0.1 that may be let go and taken again: below those that the system itself hands out (from 32768 on
 * Linux), which another test could get meanwhile, and one that no other process of the tests hands out meanwhile.
 */
export async function freePort(): Promise<number> {
  // Not the next one, at which the development server has its frames.
  place = (place + 2) % ports_of_one
  const port = first + place
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
