import { once } from 'node:events'
import { Agent, createServer, get, type IncomingMessage } from 'node:http'
import { expect, it } from 'vitest'
import { closeServer, listen } from '../packages/cli/src/listen.ts'

it('the development server asks a client that goes on asking to leave its connection, and cuts no answer off', async () => {
  const asked = Promise.withResolvers<void>()
  const closing = Promise.withResolvers<void>()
  const server = createServer(async (_req, res) => {
    asked.resolve()
    await closing.promise
    res.end('well')
  })
  const origin = await listen(server, 0)
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const askOn = async () => {
    for (;;) {
      const [answer]: IncomingMessage[] = await once(get(origin, { agent }), 'response')
      await answer?.resume().toArray()
      if (answer?.headers.connection === 'close') return 'asked to leave'
    }
  }
  const client = askOn()
  await asked.promise
  const closed = closeServer(server)
  closing.resolve()
  expect(await client).toBe('asked to leave')
  await closed
})
