import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { testDatabase } from '../../packages/store-postgres/test/database.ts'
import { blocksOf, inFolder } from './page.ts'

const database = testDatabase()
const blocks = blocksOf('docs/transactions.md').map(({ text }) => text)
const joining = blocks.find((text) => text.startsWith('const client = await pool.connect()\n')) ?? ''
const listening = blocks.find((text) => text.startsWith("pool.on('error'")) ?? ''
const commit = "  await client.query(page.isOk() ? 'COMMIT' : 'ROLLBACK')\n"

/** The host's own pool, beside that of the store. */
const program = (connection_string: string, before_commit: string) => `
import { createEngine } from '@quittance/core'
import { simulatedProcessor } from '@quittance/processor-simulator'
import { postgresStore } from '@quittance/store-postgres'
import pg from 'pg'
const connectionString = '${connection_string}'
const engine = createEngine({
  store: postgresStore({ connectionString }),
  secret: 'a secret of these tests, 32 bytes or more',
  processors: { sandbox: simulatedProcessor() },
  publicUrl: 'https://pay.example.com',
})
await engine.migrate()
const { id: workspace } = await engine.admin.workspaces.create({ name: 'Shop' })
const caller = await engine.caller({ workspace, livemode: false })
const pool = new pg.Pool({ connectionString })
const log = () => {}
${listening}await pool.query('DROP TABLE IF EXISTS orders; CREATE TABLE orders (id text)')
const [order, amount] = [{ id: 'order-1001' }, 4200]
const urls = { success_url: 'https://shop.example.com/thanks', cancel_url: 'https://shop.example.com/cart' }
async function cut(client) {
  const { rows } = await client.query('SELECT pg_backend_pid() AS pid')
  const heard = new Promise((ended) => client.once('end', ended))
  await pool.query('SELECT pg_terminate_backend($1)', [rows[0].pid])
  await heard
}
async function place() {
  ${joining.replace('… }', '...urls }').replace(commit, `${before_commit}${commit}`)}
}
await place().catch(() => console.log('not placed'))
const sessions = await engine.checkout_sessions.list(caller, {})
console.log((await pool.query('SELECT id FROM orders')).rows.length, sessions._unsafeUnwrap().data.length)
await engine.close()
await pool.end()
`

it.each([
  ['commits with the order', '', '1 1\n'],
  [
    'is lost with the order, and the process goes on, if its connection is',
    'await cut(client)\n',
    'not placed\n0 0\n',
  ],
])('the page that is opened in a transaction of Postgres %s', async (_what, before_commit, printed) => {
  const said = await inFolder((folder, run) => {
    writeFileSync(join(folder, 'shop.mjs'), program(database().connectionString, before_commit))
    return run(process.execPath, '--conditions=@quittance/source', 'shop.mjs')
  })
  expect(said).toBe(printed)
})
