import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { listen } from '../packages/cli/src/listen.ts'
import { testDatabase } from '../packages/store-postgres/test/database.ts'
import { turnOfTheLoop } from '../packages/testing/src/store/opened.ts'
import { freePort } from './free-port.ts'
import { bareStart, startServer, temporaryHome } from './server/dev-server.ts'

const database = testDatabase()

// Its connections were left open, and the process went on without a server.
it('the development server ends where another takes its port while it starts', async () => {
  const { home, remove } = temporaryHome()
  onTestFinished(remove)
  const port = await freePort()
  // Until then the server cannot have come to its port, however late this process is.
  const letGo = await database().holdMigrations('quittance')
  const starting = startServer(bareStart(), home, `${port}`, database().connectionString)
  const outcome = starting.then(
    () => 'listens',
    (fault) => String(fault),
  )
  while (!existsSync(join(home, 'secret'))) await turnOfTheLoop()
  const other = createServer()
  onTestFinished(() => void other.close())
  await listen(other, port)
  await letGo()
  expect(await outcome).toContain(`address already in use 127.0.0.1:${port}`)
})
