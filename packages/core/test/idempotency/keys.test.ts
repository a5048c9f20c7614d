import { describe, expect, it } from 'vitest'
import { registeredEndpoint } from '../../../testing/src/builders/deliveries.ts'
import {
  accepted,
  confirmation,
  confirmedSession,
  openSession,
  send,
  shownPayment,
} from '../../../testing/src/builders/requests.ts'
import { helpersOf, payByHelper } from '../../../testing/src/builders/sales.ts'
import { openSandbox, type Sandbox, sandboxIn, withProcessor } from '../../../testing/src/builders/sandbox.ts'
import { readRows } from '../../../testing/src/invariants/rows.ts'
import { withOwn } from '../../../testing/src/ports/around.ts'
import { heldProcessor } from '../../../testing/src/ports/held-processor.ts'
import { day_ms, hour_ms, second_ms } from '../../src/schema/timestamps.ts'

async function charge(sandbox: Sandbox, token = 'tok_test_visa') {
  const { id } = await confirmedSession(sandbox, token)
  return { amount: 1000, currency: 'usd', payment_method_session: id }
}

const create = (sandbox: Sandbox, input: object) => send(sandbox, 'payments.create', { input, key: 'k' })

/** A sandbox whose one charge is held at the processor, and the request that waits for it. */
async function heldOpen(when: 'before' | 'after', token = 'tok_test_visa') {
  const sandbox = await openSandbox()
  const input = await charge(sandbox, token)
  const gate = heldProcessor(sandbox.processor, when)
  const waiting = sandbox.another(withProcessor(sandbox, gate.processor))
  const first = create(waiting, input)
  await gate.held
  return { sandbox, input, first, release: gate.release }
}

describe('an Idempotency-Key', () => {
  it('with another request is refused as reused, and nothing happens', async () => {
    const sandbox = await openSandbox()
    const input = await charge(sandbox)
    const first = await create(sandbox, input)
    const other = await charge(sandbox)
    const before = await readRows(sandbox.store, sandbox.scope)
    const reused = await create(sandbox, other)
    expect(reused).toMatchObject({ status: 400, code: 'idempotency_key_reused', replayed: false })
    expect(await readRows(sandbox.store, sandbox.scope)).toEqual(before)
    expect(sandbox.processor.ledger.charges()).toHaveLength(1)
    expect(await create(sandbox, input)).toEqual({ ...first, replayed: true })
  })

  it('that is still running answers 409 at once, and another body with it is reused all the same (R2)', async () => {
    const { sandbox, input, first, release } = await heldOpen('before')
    const second = await create(sandbox, input)
    expect(second).toMatchObject({ status: 409, code: 'idempotency_key_in_flight' })
    const other = await create(sandbox, { ...input, amount: 999 })
    expect(other).toMatchObject({ status: 400, code: 'idempotency_key_reused' })
    release()
    const answer = await first
    expect(answer).toMatchObject({ status: 200, replayed: false })
    expect(await create(sandbox, input)).toEqual({ ...answer, replayed: true })
    expect(sandbox.processor.ledger.charges()).toHaveLength(1)
  })

  it('sent N times at once makes one payment and one charge (R1)', async () => {
    const sandbox = await openSandbox()
    const input = await charge(sandbox)
    const answers = await Promise.all(Array.from({ length: 20 }, () => create(sandbox, input)))
    const done = answers.filter(({ status }) => status === 200)
    expect(done.filter(({ replayed }) => !replayed)).toHaveLength(1)
    expect(new Set(done.map(({ body }) => body)).size).toBe(1)
    for (const { status, code } of answers) expect([200, 409]).toContain(code === null ? 200 : status)
    expect((await readRows(sandbox.store, sandbox.scope)).payments).toHaveLength(1)
    expect(sandbox.processor.ledger.charges()).toHaveLength(1)
  })

  it('of a request that was refused goes to the one that has taken it meanwhile', async () => {
    const sandbox = await openSandbox()
    const input = await charge(sandbox)
    let charged: Awaited<ReturnType<typeof create>> | undefined
    const store = withOwn(sandbox.store, {
      async transaction(scope, work) {
        const result = await sandbox.store.transaction(scope, work)
        if (result.isErr()) charged ??= await create(sandbox, input)
        return result
      },
    })
    const refused = await create(sandbox.another({ store }), {
      ...input,
      payment_method_session: 'pms_test_none',
    })
    expect(refused).toMatchObject({ status: 400, code: 'idempotency_key_reused' })
    expect(charged).toMatchObject({ status: 200, replayed: false })
    expect(await create(sandbox, input)).toEqual({ ...charged, replayed: true })
  })

  it('in the library too belongs to one operation, whatever the input', async () => {
    const sandbox = await openSandbox()
    const { id } = await registeredEndpoint(sandbox)
    const { webhook_endpoints } = sandbox.engine
    accepted(await webhook_endpoints.update(sandbox.caller, { id }, { idempotency_key: 'k' }))
    const removed = await webhook_endpoints.delete(sandbox.caller, { id }, { idempotency_key: 'k' })
    expect(removed.isErr() && removed.error.code).toBe('idempotency_key_reused')
  })

  it('in another workspace or environment is another key', async () => {
    const sandbox = await openSandbox()
    const { id: workspace } = await sandbox.engine.admin.workspaces.create({ name: 'Other' })
    const other = await sandboxIn(sandbox, { workspace, livemode: false })
    const live = await sandboxIn(sandbox, { ...sandbox.scope, livemode: true })
    const answers = []
    for (const one of [sandbox, other, live]) answers.push(await create(one, await charge(one)))
    expect(answers.map(({ status, replayed }) => [status, replayed])).toEqual(Array(3).fill([200, false]))
    expect(sandbox.processor.ledger.charges()).toHaveLength(2)
    expect(sandbox.live_processor.ledger.charges()).toHaveLength(1)
  })

  it('of a browser is another key than the same of the merchant, whatever the payer sends', async () => {
    const sandbox = await openSandbox()
    const { id } = await openSession(sandbox, 'tok_test_visa')
    const confirm = () =>
      send(sandbox, 'payment_method_sessions.confirm', { input: confirmation(id, 'tok_test_visa'), key: 'k' })
    const confirmed = await confirm()
    const paid = await create(sandbox, { amount: 1000, currency: 'usd', payment_method_session: id })
    expect([confirmed, paid].map(({ status, replayed }) => [status, replayed])).toEqual([
      [200, false],
      [200, false],
    ])
    expect(await confirm()).toEqual({ ...confirmed, replayed: true })
  })

  it('belongs to the workspace, not to the API key: a retry with another caller is a replay', async () => {
    const sandbox = await openSandbox()
    const input = await charge(sandbox)
    const first = await create(sandbox, input)
    const rotated = { ...sandbox, caller: { ...sandbox.caller, scopes: ['payments:write' as const] } }
    expect(await create(rotated, input)).toEqual({ ...first, replayed: true })
  })
})

describe('a request that slept through its lease', () => {
  it.each(['before', 'after'] as const)(
    'cannot overwrite the answer that a retry healed while its charge was held %s it was made',
    async (when) => {
      const { sandbox, input, first, release } = await heldOpen(when)
      // The engine's clock alone: the sleeper's own 20 s timer does not wake it.
      sandbox.clock.jump(29_999)
      expect((await create(sandbox, input)).code).toBe('idempotency_key_in_flight')
      sandbox.clock.jump(1)
      const healed = await create(sandbox, input)
      const charges = when === 'after' ? 1 : 0
      expect(healed).toMatchObject({ status: when === 'after' ? 200 : 402, replayed: true })
      release()
      const late = await first
      expect([late.status, late.body]).toEqual([healed.status, healed.body])
      expect(await create(sandbox, input)).toEqual(healed)
      expect(sandbox.processor.ledger.charges()).toHaveLength(charges)
      const { payments, events } = await readRows(sandbox.store, sandbox.scope)
      expect(payments.map(({ status }) => status)).toEqual([when === 'after' ? 'succeeded' : 'failed'])
      expect(events).toHaveLength(1)
    },
  )

  it('answers what was healed, whatever became of the payment before it woke', async () => {
    const { sandbox, input, first, release } = await heldOpen('after', 'btok_test_success')
    sandbox.clock.jump(30 * second_ms)
    const healed = await create(sandbox, input)
    sandbox.clock.jump(30 * second_ms)
    await sandbox.engine.reconcile()
    const { id, status } = JSON.parse(healed.body)
    expect([status, (await shownPayment(sandbox, id)).status]).toEqual(['processing', 'succeeded'])
    release()
    expect(await first).toEqual(healed)
    expect(await create(sandbox, input)).toEqual(healed)
  })

  it('is healed by the reconciler as well, and only once its lease is over', async () => {
    const { sandbox, input, first, release } = await heldOpen('after')
    sandbox.clock.jump(30 * second_ms - 1)
    await sandbox.engine.reconcile()
    expect((await create(sandbox, input)).code).toBe('idempotency_key_in_flight')
    sandbox.clock.jump(1)
    await sandbox.engine.reconcile()
    const healed = await create(sandbox, input)
    expect(healed).toMatchObject({ status: 200, replayed: true })
    release()
    expect((await first).body).toBe(healed.body)
  })
})

describe('an answered key', () => {
  it('is remembered for 72 hours and then forgotten', async () => {
    const sandbox = await openSandbox()
    const input = await charge(sandbox)
    const first = await create(sandbox, input)
    const kept = () => sandbox.store.read(sandbox.scope, (rows) => rows.idempotency_keys.get('k'))
    sandbox.clock.advance(72 * hour_ms - 1)
    await sandbox.engine.reconcile()
    expect(await create(sandbox, input)).toEqual({ ...first, replayed: true })
    sandbox.clock.advance(1)
    await sandbox.engine.reconcile()
    expect(await kept()).toBeUndefined()
    expect((await create(sandbox, input)).code).toBe('payment_method_session_used')
    expect(sandbox.processor.ledger.charges()).toHaveLength(1)
  })

  it('is never forgotten while the page it made can still be paid', async () => {
    const sandbox = await openSandbox()
    const urls = { success_url: 'https://shop.example.com/ok', cancel_url: 'https://shop.example.com/no' }
    const input = { amount: 1_000, currency: 'USD', ...urls }
    const open = () => send(sandbox, 'checkout_sessions.create', { input, key: 'page' })
    const first = await open()
    const { id } = JSON.parse(first.body)
    accepted(await payByHelper(sandbox, { id, token: 'tok_test_unknown_forever' }))
    for (let day = 0; day < 5; day += 1) {
      sandbox.clock.advance(day_ms)
      await sandbox.engine.reconcile()
    }
    expect(await open()).toEqual({ ...first, replayed: true })
    const { payment } = accepted(await sandbox.engine.checkout_sessions.retrieve(sandbox.caller, { id }))
    expect(payment).toBeNull()
  })

  it('is never forgotten while the payment it made is processing', async () => {
    const sandbox = await openSandbox()
    const input = await charge(sandbox, 'btok_test_never_settles')
    const first = await create(sandbox, input)
    for (let day = 0; day < 10; day += 1) {
      sandbox.clock.advance(day_ms)
      await sandbox.engine.reconcile()
    }
    expect(await create(sandbox, input)).toEqual({ ...first, replayed: true })
    const { id } = JSON.parse(first.body)
    const { engine, caller } = sandbox
    accepted(await helpersOf(engine).payment.settle(caller, { id }))
    expect((await shownPayment(sandbox, id)).status).toBe('succeeded')
    sandbox.clock.advance(day_ms)
    await engine.reconcile()
    expect(await sandbox.store.read(sandbox.scope, (rows) => rows.idempotency_keys.get('k'))).toBeUndefined()
  })

  it('is remembered for as long as the host says, at least 24 hours', async () => {
    const sandbox = await openSandbox({ idempotencyRetentionHours: 24 })
    const input = await charge(sandbox)
    await create(sandbox, input)
    sandbox.clock.advance(day_ms)
    await sandbox.engine.reconcile()
    expect(await sandbox.store.read(sandbox.scope, (rows) => rows.idempotency_keys.get('k'))).toBeUndefined()
    await expect(openSandbox({ idempotencyRetentionHours: 23 })).rejects.toThrow('at least 24')
  })
})
