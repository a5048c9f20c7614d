import { describe, expect, it } from 'vitest'
import { accepted, pay, send, shownPayment } from '../../../testing/src/builders/requests.ts'
import { advance, refund } from '../../../testing/src/builders/sales.ts'
import { openSandbox, type Sandbox, sandboxIn, withProcessor } from '../../../testing/src/builders/sandbox.ts'
import { readRows } from '../../../testing/src/invariants/rows.ts'
import { day_ms } from '../../src/schema/timestamps.ts'
import { refusal } from '../operations/refusals.ts'

async function paid(token = 'tok_test_visa') {
  const sandbox = await openSandbox()
  const { id: payment } = accepted(await pay(sandbox, token))
  return { sandbox, payment }
}

const create = (sandbox: Sandbox, input: object, key?: string) =>
  send(sandbox, 'refunds.create', { input, ...(key === undefined ? {} : { key }) })

const remembered = ({ store, scope }: Sandbox, key: string) =>
  store.read(scope, (rows) => rows.idempotency_keys.get(key))

describe('the Idempotency-Key of a refund', () => {
  it('is required, and must be well formed', async () => {
    const { sandbox, payment } = await paid()
    expect(await create(sandbox, { payment })).toMatchObject({
      status: 400,
      code: 'idempotency_key_required',
    })
    for (const key of ['', 'with space', 'ü', 'k'.repeat(256)])
      expect((await create(sandbox, { payment }, key)).code).toBe('idempotency_key_invalid')
    expect(sandbox.processor.ledger.refunds()).toEqual([])
    expect((await create(sandbox, { payment }, 'k'.repeat(255))).status).toBe(200)
  })

  it.each([
    ['tok_test_visa', 200, null],
    ['tok_test_refund_pending', 200, null],
    ['tok_test_refund_refused', 402, 'refund_failed'],
  ])('replays the answer of %s byte for byte, and changes no row', async (token, status, code) => {
    const { sandbox, payment } = await paid(token)
    const first = await create(sandbox, { payment }, 'k')
    expect(first).toMatchObject({ status, code, replayed: false })
    const before = await readRows(sandbox.store, sandbox.scope)
    for (const process of [sandbox, sandbox.another()])
      expect(await create(process, { payment }, 'k')).toEqual({ ...first, replayed: true })
    expect(await readRows(sandbox.store, sandbox.scope)).toEqual(before)
    expect(sandbox.processor.ledger.refunds()).toHaveLength(1)
  })

  it('replays what was answered first, whatever became of the refund since', async () => {
    const { sandbox, payment } = await paid('tok_test_refund_fails')
    const first = await create(sandbox, { payment }, 'k')
    await advance(sandbox, 3600)
    expect(await create(sandbox, { payment }, 'k')).toEqual({ ...first, replayed: true })
    expect((await shownPayment(sandbox, payment)).amount_refunded).toBe(0)
  })

  it.each([
    ['refund_amount_exceeds_balance', { amount: 2000 }],
    ['resource_missing', { payment: 'pay_test_none' }],
    ['parameter_invalid', { amount: 0 }],
  ])('keeps a refusal as well: %s', async (code, changed) => {
    const { sandbox, payment } = await paid()
    const first = await create(sandbox, { payment, ...changed }, 'k')
    expect(first.code).toBe(code)
    expect(await create(sandbox, { payment, ...changed }, 'k')).toEqual({ ...first, replayed: true })
    expect((await create(sandbox, { payment }, 'k')).code).toBe('idempotency_key_reused')
  })

  it('keeps refund_in_flight, so that a retry after it needs a new key', async () => {
    const { sandbox, payment } = await paid('tok_test_refund_pending')
    await create(sandbox, { payment, amount: 1 }, 'first')
    const refused = await create(sandbox, { payment, amount: 2 }, 'second')
    expect(refused).toMatchObject({ status: 409, code: 'refund_in_flight' })
    await advance(sandbox, 3600)
    expect(await create(sandbox, { payment, amount: 2 }, 'second')).toEqual({ ...refused, replayed: true })
    expect((await create(sandbox, { payment, amount: 2 }, 'third')).status).toBe(200)
  })

  it('is not the one of a payment or of another environment', async () => {
    const { sandbox, payment } = await paid()
    const live = await sandboxIn(sandbox, { ...sandbox.scope, livemode: true })
    const { id: other } = accepted(await pay(live, 'tok_test_visa', { idempotency_key: 'k' }))
    expect((await create(sandbox, { payment }, 'k')).status).toBe(200)
    expect((await create(live, { payment: other }, 'k')).code).toBe('idempotency_key_reused')
    expect(live.live_processor.ledger.refunds()).toEqual([])
  })

  it('sent 20 times at once makes one refund', async () => {
    const { sandbox, payment } = await paid()
    const asked = Array.from({ length: 20 }, () => create(sandbox, { payment, amount: 100 }, 'k'))
    const answers = await Promise.all(asked)
    const done = answers.filter(({ status }) => status === 200)
    expect(new Set(done.map(({ body }) => body)).size).toBe(1)
    for (const { code } of answers) expect([null, 'idempotency_key_in_flight']).toContain(code)
    expect(sandbox.processor.ledger.refunds()).toHaveLength(1)
    expect((await shownPayment(sandbox, payment)).amount_refunded).toBe(100)
  })

  it('is forgotten after 72 hours, and not while the refund it made is pending', async () => {
    const { sandbox, payment } = await paid('tok_test_refund_pending')
    const { clock } = sandbox
    const silent = sandbox.another(
      withProcessor(sandbox, {
        ...sandbox.processor,
        refund: async () => ({ kind: 'unanswered' }),
        lookup: async () => ({ kind: 'unknown' }),
      }),
    )
    await create(silent, { payment }, 'moving')
    const { id: other } = accepted(await pay(sandbox, 'tok_test_visa'))
    await create(sandbox, { payment: other }, 'done')
    for (let hour = 0; hour < 72; hour += 1) {
      expect(await remembered(sandbox, 'done')).toBeDefined()
      clock.advance(day_ms / 24)
      await silent.engine.reconcile()
    }
    expect(await remembered(sandbox, 'done')).toBeUndefined()
    expect(await remembered(sandbox, 'moving')).toBeDefined()
    clock.advance(day_ms)
    await sandbox.engine.reconcile()
    clock.advance(day_ms)
    await sandbox.engine.reconcile()
    expect(await remembered(sandbox, 'moving')).toBeUndefined()
    expect(refusal(await refund(sandbox, { payment: other })).code).toBe('refund_amount_exceeds_balance')
  })
})
