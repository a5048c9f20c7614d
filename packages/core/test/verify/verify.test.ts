import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { accepted } from '../../../testing/src/builders/requests.ts'
import { openSandbox, type Sandbox } from '../../../testing/src/builders/sandbox.ts'
import { type Rows, readRows } from '../../../testing/src/invariants/rows.ts'
import { commit, seed } from '../../../testing/src/store/opened.ts'
import { type AnyRow, sampleRow } from '../../../testing/src/store/sample-row.ts'
import { type VerifyRequest, verify } from '../../src/engine/verify/verify.ts'
import { createSecrets } from '../../src/kernel/secrets.ts'
import type { Store } from '../../src/ports/store.ts'
import { iso, minute_ms, shifted } from '../../src/schema/timestamps.ts'
import { findWorkspace } from '../../src/workspaces/find-workspace.ts'
import { testedStore } from '../stores/tested-store.ts'
import { breach, nobody } from './breach.ts'
import { breaches } from './breaches.ts'
import { corrupt } from './corrupt.ts'
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
      expect(violations).toContainEqual(
        expect.objectContaining({
          invariant: breach.invariant,
          table: breach.found ?? breach.table,
          says: expect.stringContaining(breach.says ?? ''),
        }),
      )
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
    const other = { ...gone, workspace: nobody.replace('7', '8') }
    const due_at = '9000-01-01T00:00:00.000Z'
    const strays = [
      { ...gone, id: 'first' },
      { ...gone, id: 'second' },
      { ...other, id: 'third' },
    ]
    for (const one of strays)
      await seed(store, one, [['payments', sampleRow('payments', one, one.id, { due_at })]])
    const ports = { store, now: iso(clock.now()), sizes: { page_rows: 2, slice_rows: 50_000 } }
    const all = await verify(ports)
    const one = await verify(ports, { most: 1 })
    const elsewhere = await verify(ports, { scope: sandbox.scope })
    for (const stray of strays) await commit(store, stray, async (tx) => tx.payments.delete(stray.id))
    expect(all.violations).toEqual([
      expect.objectContaining({ invariant: 'M47', id: 'first', ...gone }),
      expect.objectContaining({ invariant: 'M47', id: 'third', ...other }),
    ])
    expect(one).toEqual({ ...all, violations: all.violations.slice(0, 1), complete: false })
    expect(elsewhere.violations).toEqual([])
  })

  it.each([
    ['deliveries', 'endpoint', 'webhook_endpoints', []],
    ['deliveries', 'event', 'events', ['idempotency_keys']],
    ['events', 'subject', 'payments', ['idempotency_keys']],
    ['payments', 'customer', 'customers', ['invoices']],
  ] as const)(
    'says once for each table which record is missing, however many %s name it as their %s',
    async (table, column, named, others) => {
      const names = rows[table].map((row) => String((row as AnyRow)[column]))
      const id = names.find((one, n) => one !== 'null' && names.indexOf(one) < n) ?? expect.fail()
      const undo = await corrupt(sandbox, rows, breach('M47', named, 'gone', { of: { id }, remove: true }))
      const { violations } = await sandbox.engine.verify()
      await undo()
      const naming = violations.filter(({ says }) => says.includes(id)).map((one) => one.table)
      expect(naming).toEqual([table, ...others])
    },
  )

  it.each([
    { page_rows: 1, slice_rows: 1 },
    { page_rows: 2, slice_rows: 6 },
  ])('comes to the same in pages of $page_rows and slices of $slice_rows', async (sizes) => {
    const { store } = sandbox
    const now = iso(sandbox.clock.now())
    const undone = []
    for (const what of [
      'that forgot a refund',
      'paid a cent too much',
      'of a page lost',
      'emitted twice',
      'that made the payment of another',
    ])
      undone.push(await corrupt(sandbox, rows, breaches.find((one) => one.what === what) ?? expect.fail()))
    const at_once = await verify({ store, now })
    const in_steps = await verify({ store, now, sizes })
    for (const undo of undone) await undo()
    expect(at_once.violations.length).toBeGreaterThanOrEqual(5)
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
    const all = await sandbox.engine.verify({ most: Number.POSITIVE_INFINITY })
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
    const halved = { scope: { workspace: sandbox.scope.workspace } } as VerifyRequest
    await expect(sandbox.engine.verify(halved)).rejects.toThrow('A scope has a `workspace`')
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
