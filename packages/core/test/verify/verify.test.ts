import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { accepted } from '../../../testing/src/builders/requests.ts'
import { openSandbox, type Sandbox } from '../../../testing/src/builders/sandbox.ts'
import { type Rows, readRows } from '../../../testing/src/invariants/rows.ts'
import { commit, seed, writing } from '../../../testing/src/store/opened.ts'
import { type AnyRow, sampleRow } from '../../../testing/src/store/sample-row.ts'
import { type VerifyRequest, verify } from '../../src/engine/verify/verify.ts'
import { createSecrets } from '../../src/kernel/secrets.ts'
import type { Store } from '../../src/ports/store.ts'
import { iso, minute_ms, shifted } from '../../src/schema/timestamps.ts'
import { findWorkspace } from '../../src/workspaces/find-workspace.ts'
import { testedStore } from '../stores/tested-store.ts'
import { type Breach, breach, nobody } from './breach.ts'
import { breaches } from './breaches.ts'
import { sellEverything } from './sold-out.ts'

const secret = 'the secret that seals, 32 bytes or more'

describe('the check of a database', () => {
  let sandbox: Sandbox
  let rows: Rows

  beforeAll(async () => {
    sandbox = await openSandbox({ store: await testedStore().open(), secret })
    await sellEverything(sandbox)
    const { scope } = sandbox
    const sealed = createSecrets(secret, sandbox.engine.ids).encrypt('{}')
    const invoices = (await readRows(sandbox.store, scope)).invoices
    for (const [n, id] of ['first', 'second'].entries()) {
      const due_at = shifted(iso(sandbox.clock.now()), minute_ms)
      const kept = invoices[n]?.id ?? expect.fail()
      await seed(sandbox.store, scope, [
        ['sync_runs', sampleRow('sync_runs', scope, id, { connection: id, due_at })],
        ['ledger_invoices', sampleRow('ledger_invoices', scope, kept, { connection: id })],
        ['connections', sampleRow('connections', scope, id, { encrypted_token: sealed })],
        ['integrations', sampleRow('integrations', scope, id, { encrypted_configuration: sealed })],
      ])
    }
    rows = await readRows(sandbox.store, sandbox.scope)
  })
  afterAll(() => sandbox.store.close())

  it('finds nothing in what the engine left, and says how much it looked at', async () => {
    const { checked, violations, complete } = await sandbox.engine.verify()
    expect(violations).toEqual([])
    expect(complete).toBe(true)
    const counts = Object.keys(checked).map((name) => [name, rows[name as keyof Rows].length])
    expect(checked).toEqual(Object.fromEntries(counts))
    expect(Object.values(checked).every((count) => count > 1)).toBe(true)
  })

  it.each(breaches.filter(({ only }) => only === undefined || only === testedStore().name))(
    'finds $invariant: a row of $table $what',
    async (breach) => {
      const undo = await corrupt(sandbox, rows, breach)
      const { violations } = await sandbox.engine.verify({ scope: sandbox.scope })
      await undo()
      const found = violations.map(({ invariant, table }) => `${invariant} in ${table}`)
      expect(found).toContain(`${breach.invariant} in ${breach.found ?? breach.table}`)
    },
  )

  it('finds what is due in a workspace that is gone', async () => {
    const { store, engine, scope } = sandbox
    const workspace = (await findWorkspace(store, scope.workspace)) ?? expect.fail()
    await commit(store, scope, async (tx) => tx.workspaces.delete(workspace.id))
    const { checked, violations } = await engine.verify()
    await commit(store, scope, async (tx) => tx.workspaces.insert(workspace))
    expect(checked).toEqual({})
    expect(violations).toEqual([expect.objectContaining({ invariant: 'M47', workspace: workspace.id })])
  })

  it('finds it behind all else that is due', async () => {
    const { store, clock } = sandbox
    const gone = { workspace: nobody, livemode: true }
    const stray = { ...sampleRow('payments', gone, 'stray'), due_at: '9000-01-01T00:00:00.000Z' }
    await seed(store, gone, [['payments', stray]])
    const sizes = { page_rows: 2, slice_rows: 50_000 }
    const { violations } = await verify({ store, now: iso(clock.now()), sizes })
    await commit(store, gone, async (tx) => tx.payments.delete('stray'))
    expect(violations).toEqual([expect.objectContaining({ invariant: 'M47', id: 'stray', ...gone })])
  })

  it('says once for each table which record is missing, however many rows name it', async () => {
    const endpoint = rows.deliveries[0]?.endpoint ?? expect.fail()
    const of = { id: endpoint }
    const undo = await corrupt(
      sandbox,
      rows,
      breach('M34', 'webhook_endpoints', 'gone', { of, remove: true }),
    )
    const { violations } = await sandbox.engine.verify()
    await undo()
    expect(rows.deliveries.filter((one) => one.endpoint === endpoint).length).toBeGreaterThan(1)
    expect(violations.filter(({ says }) => says.includes(endpoint)).map(({ table }) => table)).toEqual([
      'deliveries',
    ])
  })

  it.each([
    { page_rows: 1, slice_rows: 1 },
    { page_rows: 2, slice_rows: 6 },
  ])('comes to the same in pages of $page_rows and slices of $slice_rows', async (sizes) => {
    const { store } = sandbox
    const now = iso(sandbox.clock.now())
    const undone = []
    for (const invariant of ['M17', 'M21', 'M27', 'M34']) {
      undone.push(
        await corrupt(sandbox, rows, breaches.find((one) => one.invariant === invariant) ?? expect.fail()),
      )
    }
    const at_once = await verify({ store, now })
    const in_steps = await verify({ store, now, sizes })
    for (const undo of undone) await undo()
    expect(at_once.violations.length).toBeGreaterThanOrEqual(4)
    expect(in_steps).toEqual(at_once)
  })

  it('finds nothing in the keys of requests that asked no processor: hosted pages are opened and paid under some', async () => {
    const other = await openSandbox({ store: await testedStore().open() })
    const { engine, caller } = other
    const urls = { success_url: 'https://shop.example.com/a', cancel_url: 'https://shop.example.com/b' }
    const input = { amount: 1000, currency: 'USD' as const, ...urls }
    accepted(await engine.checkout_sessions.create(caller, input, { idempotency_key: 'k' }))
    expect((await engine.verify()).violations).toEqual([])
    await other.store.close()
  })

  it('opens nothing for whoever has another secret and asks for the rows alone', async () => {
    const { engine } = sandbox.another({ secret: 'another secret than the one that seals' })
    expect((await engine.verify()).violations.map(({ table }) => table)).toContain('webhook_endpoints')
    expect((await engine.verify({ sealed: false })).violations).toEqual([])
  })

  it('only reads', async () => {
    const store: Store = {
      ...sandbox.store,
      transaction: () => expect.fail('a transaction was opened'),
      claimDeliveries: () => expect.fail('deliveries were claimed'),
    }
    expect((await verify({ store, now: iso(sandbox.clock.now()) })).violations).toEqual([])
    expect(await readRows(sandbox.store, sandbox.scope)).toEqual(rows)
  })

  it('stops where it knows enough, and says so', async () => {
    const undo = await corrupt(
      sandbox,
      rows,
      breaches.find(({ invariant }) => invariant === 'M27') ?? expect.fail(),
    )
    const all = await sandbox.engine.verify()
    const one = await sandbox.engine.verify({ most: 1 })
    await undo()
    expect(all.violations.length).toBeGreaterThan(1)
    expect(one).toEqual({
      checked: expect.anything(),
      violations: all.violations.slice(0, 1),
      complete: false,
    })
  })

  it('refuses an option that there is not: everything would be read where one workspace was meant', async () => {
    const misnamed = { workspace: sandbox.scope.workspace } as VerifyRequest
    await expect(sandbox.engine.verify(misnamed)).rejects.toThrow('verify has no option `workspace`')
  })

  it('looks at one workspace and environment where one is named', async () => {
    const undo = await corrupt(
      sandbox,
      rows,
      breaches.find(({ invariant }) => invariant === 'M7') ?? expect.fail(),
    )
    const live = { ...sandbox.scope, livemode: true }
    expect(await sandbox.engine.verify({ scope: live })).toEqual({
      checked: expect.objectContaining({ payments: 0 }),
      violations: [],
      complete: true,
    })
    const [violation] = (await sandbox.engine.verify()).violations
    await undo()
    expect(violation).toEqual({
      invariant: 'M7',
      table: 'payments',
      id: rows.payments.find(({ status }) => status === 'failed')?.id,
      ...sandbox.scope,
      says: 'failed and nothing proves it',
    })
  })
})

/** Does to a row by hand what the engine would not. Gives back how to undo it. */
async function corrupt({ store, scope }: Sandbox, rows: Rows, breach: Breach): Promise<() => Promise<void>> {
  const all: readonly AnyRow[] = rows[breach.table]
  const row = all.find((one) => Object.entries(breach.of).every(([column, value]) => one[column] === value))
  if (row === undefined) throw new Error(`there is no row of ${breach.table} to break`)
  const { change = {}, copy, remove } = breach
  const changed = { ...row, ...copy, ...(typeof change === 'function' ? change(row as never) : change) }
  const page = /^the (\w+) page$/.exec(String(changed.checkout_session))?.[1]
  if (page !== undefined)
    changed.checkout_session = rows.checkout_sessions.find(({ status }) => status === page)?.id
  await commit(store, scope, async (tx) => {
    const table = writing(tx, breach.table)
    if (remove) await table.delete(row.id)
    else if (copy) await table.insert(changed)
    else await table.update(changed)
  })
  return () =>
    commit(store, scope, async (tx) => {
      const table = writing(tx, breach.table)
      if (remove) await table.insert(row)
      else if (copy) await table.delete(changed.id)
      else await table.update(row)
    })
}
