import { describe, expect, it } from 'vitest'
import { accepted, pay, send } from '../../../testing/src/builders/requests.ts'
import { eventTypesOf, refund, shownRefund } from '../../../testing/src/builders/sales.ts'
import { openSandbox, type Sandbox, withProcessor } from '../../../testing/src/builders/sandbox.ts'
import { expectInvariants, expectQuiet } from '../../../testing/src/invariants/expect-invariants.ts'
import { readRows } from '../../../testing/src/invariants/rows.ts'
import type { PortCall } from '../../../testing/src/ports/around.ts'
import {
  type CommitFault,
  type Committing,
  crashingStore,
} from '../../../testing/src/ports/crashing-store.ts'
import { type Death, mortalProcess } from '../../../testing/src/ports/mortal-process.ts'
import { second_ms } from '../../src/schema/timestamps.ts'
import { refusal } from '../operations/refusals.ts'

const create = (sandbox: Sandbox, payment: string) =>
  send(sandbox, 'refunds.create', { input: { payment, amount: 400 }, key: 'k' })

/** A payment, and a process that dies while it refunds it; then a second process is left to heal. */
async function diedAt(plan: (call: PortCall) => Death, token = 'tok_test_visa') {
  const sandbox = await openSandbox()
  const { id: payment } = accepted(await pay(sandbox, token))
  const mortal = mortalProcess(sandbox, plan)
  const dying = sandbox.another({ ...withProcessor(sandbox, mortal.processor), store: mortal.store })
  const answered = create(dying, payment).then(() => 'answered' as const)
  expect(await Promise.race([answered, mortal.died.then(() => 'died' as const)])).toBe('died')
  await expectInvariants(sandbox, 'after the death')
  return { sandbox, payment }
}

const atRefund = (death: Death) => (call: PortCall) => (call.method === 'refund' ? death : 'lives')
const atOutcome = (death: Death) => (call: PortCall) =>
  call.method === 'transaction' && call.n > 2 ? death : 'lives'

async function inFlightThenHealed({ sandbox, payment }: { sandbox: Sandbox; payment: string }) {
  expect(await create(sandbox, payment)).toMatchObject({ status: 409, code: 'idempotency_key_in_flight' })
  expect(refusal(await refund(sandbox, { payment }))).toEqual({ code: 'refund_in_flight' })
  sandbox.clock.advance(30 * second_ms)
  return create(sandbox, payment)
}

describe('a refund whose process dies', () => {
  it('W0 before the key was written: a retry executes normally', async () => {
    const { sandbox, payment } = await diedAt((call) => (call.n === 1 ? 'before' : 'lives'))
    expect((await readRows(sandbox.store, sandbox.scope)).refunds).toEqual([])
    expect(await create(sandbox, payment)).toMatchObject({ status: 200, replayed: false })
    expect(sandbox.processor.ledger.refunds()).toHaveLength(1)
  })

  it('W1 with the intent committed and nothing known to the process: fenced, failed, and asked for anew', async () => {
    const died = await diedAt((call) => (call.n === 1 ? 'after' : 'lives'))
    expect(await inFlightThenHealed(died)).toMatchObject({ status: 402, code: 'refund_failed' })
    expect(died.sandbox.processor.ledger.refunds()).toEqual([])
    expect(accepted(await refund(died.sandbox, { payment: died.payment })).amount).toBe(1000)
  })

  it('W2 after the intent, before the call: failed for good, and the amount is there again', async () => {
    const died = await diedAt(atRefund('before'))
    const healed = await inFlightThenHealed(died)
    expect(healed).toMatchObject({ status: 402, code: 'refund_failed', replayed: true })
    const { error } = JSON.parse(healed.body)
    expect(error.failure_code).toBe('processor_unreachable')
    expect((await shownRefund(died.sandbox, error.refund)).status).toBe('failed')
    expect(died.sandbox.processor.ledger.refunds()).toEqual([])
    const rows = await expectQuiet(died.sandbox, 'W2')
    expect(rows.payments.map(({ amount_refunded }) => amount_refunded)).toEqual([0])
  })

  it.each([
    ['tok_test_visa', 200, 'succeeded'],
    ['tok_test_refund_pending', 200, 'pending'],
    ['tok_test_refund_refused', 402, 'failed'],
  ])(
    'W3 after the call, before its answer: the processor is asked, and knows (%s)',
    async (token, status, known) => {
      const died = await diedAt(atRefund('after'), token)
      const healed = await inFlightThenHealed(died)
      expect(healed).toMatchObject({ status, replayed: true })
      const { refunds } = await expectInvariants(died.sandbox, 'W3')
      expect(refunds.map((one) => one.status)).toEqual([known])
      expect(died.sandbox.processor.ledger.refunds()).toHaveLength(1)
      await expectQuiet(died.sandbox, 'W3')
    },
  )

  it('W3 and the processor does not know yet: pending, announced and asked about again', async () => {
    const { sandbox, payment } = await diedAt(atRefund('after'))
    const lookup = async () => ({ kind: 'unknown' as const })
    const deaf = sandbox.another(withProcessor(sandbox, { ...sandbox.processor, lookup }))
    const healed = await inFlightThenHealed({ sandbox: deaf, payment })
    expect(healed).toMatchObject({ status: 200, replayed: true })
    const { id, status } = JSON.parse(healed.body)
    expect(status).toBe('pending')
    expect(await eventTypesOf(sandbox, id)).toEqual(['refund.pending'])
    await expectQuiet(sandbox, 'W3')
    expect(await eventTypesOf(sandbox, id)).toEqual(['refund.pending', 'refund.succeeded'])
  })

  it('W4 with the answer in hand and not committed: the same question gives the same answer', async () => {
    const died = await diedAt(atOutcome('before'))
    const healed = await inFlightThenHealed(died)
    expect(healed).toMatchObject({ status: 200, replayed: true })
    expect(JSON.parse(healed.body)).toMatchObject({ status: 'succeeded', amount: 400 })
    await expectQuiet(died.sandbox, 'W4')
    expect(died.sandbox.processor.ledger.refunds()).toHaveLength(1)
  })

  it('W5 with everything committed and nothing sent: a replay with the original request id', async () => {
    const { sandbox, payment } = await diedAt(atOutcome('after'), 'tok_test_refund_refused')
    const before = await readRows(sandbox.store, sandbox.scope)
    const replayed = await create(sandbox, payment)
    expect(replayed).toMatchObject({ status: 402, code: 'refund_failed', replayed: true })
    expect(JSON.parse(replayed.body).error.request_id).toBe(
      before.idempotency_keys.find(({ id }) => id === 'k')?.request_id,
    )
    expect(await readRows(sandbox.store, sandbox.scope)).toEqual(before)
  })

  it('W6 with the response lost: the same as W5', async () => {
    const sandbox = await openSandbox()
    const { id: payment } = accepted(await pay(sandbox, 'tok_test_visa'))
    const lost = await create(sandbox, payment)
    expect(await create(sandbox.another(), payment)).toEqual({ ...lost, replayed: true })
  })

  it('is healed by the reconciler as well, with nobody asking again', async () => {
    const { sandbox, payment } = await diedAt(atRefund('after'))
    sandbox.clock.advance(60 * second_ms)
    await sandbox.engine.reconcile()
    const { events } = await expectInvariants(sandbox, 'reconciled')
    expect(events.map(({ type }) => type)).toEqual(['payment.succeeded', 'refund.succeeded'])
    expect(await create(sandbox, payment)).toMatchObject({ status: 200, replayed: true })
  })
})

describe('a refund whose commit breaks', () => {
  const outcome = ({ written }: Committing) => written.has('refunds') && written.has('events')
  const breaking = async (plan: (unit: Committing) => CommitFault) => {
    const sandbox = await openSandbox()
    const { id: payment } = accepted(await pay(sandbox, 'tok_test_visa'))
    const answer = await create(sandbox.another({ store: crashingStore(sandbox.store, plan) }), payment)
    return { sandbox, payment, answer }
  }

  it('with an unknown outcome, committed after all, answers what was committed', async () => {
    const { sandbox, payment, answer } = await breaking((unit) => (outcome(unit) ? 'after_commit' : 'none'))
    expect(answer).toMatchObject({ status: 200, replayed: false })
    expect(await create(sandbox, payment)).toEqual({ ...answer, replayed: true })
  })

  it('before the outcome is kept answers a stored 500, and the reconciler finds the refund', async () => {
    const { sandbox, payment, answer } = await breaking((unit) => (outcome(unit) ? 'before_commit' : 'none'))
    expect(answer).toMatchObject({ status: 500, code: 'internal_error' })
    expect(await create(sandbox, payment)).toEqual({ ...answer, replayed: true })
    const { refunds } = await expectQuiet(sandbox, 'found')
    expect(refunds.map(({ status }) => status)).toEqual(['succeeded'])
    expect(sandbox.processor.ledger.refunds()).toHaveLength(1)
  })

  it.each(['before_commit', 'after_commit'] as const)(
    'at the intent, %s, gives nothing back, and the payment can be refunded in the end',
    async (fault) => {
      const { sandbox, payment, answer } = await breaking(({ n }) => (n === 1 ? fault : 'none'))
      expect(answer).toMatchObject({ status: 500, code: 'internal_error' })
      await expectQuiet(sandbox, fault)
      expect(sandbox.processor.ledger.refunds()).toEqual([])
      expect(accepted(await refund(sandbox, { payment })).amount).toBe(1000)
    },
  )
})

describe('a process that dies at any call', () => {
  it.each(['tok_test_visa', 'tok_test_refund_pending', 'tok_test_refund_fails', 'tok_test_refund_refused'])(
    'while it refunds %s leaves one refund at most at the processor, and no cent astray',
    async (token) => {
      for (let n = 1; n <= 3; n += 1) {
        for (const death of ['before', 'after'] as const) {
          const about = `dies ${death} call ${n}`
          const { sandbox, payment } = await diedAt((call) => (call.n === n ? death : 'lives'), token)
          sandbox.clock.advance(30 * second_ms)
          await create(sandbox, payment)
          const { refunds } = await expectQuiet(sandbox, about)
          expect({ about, refunds: refunds.length }).toEqual({ about, refunds: 1 })
          expect(sandbox.processor.ledger.refunds().length).toBeLessThanOrEqual(1)
        }
      }
    },
  )
})
