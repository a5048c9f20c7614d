import { describe, expect, it } from 'vitest'
import { confirmation, confirmedSession, openSession, send } from '../../../testing/src/builders/requests.ts'
import { openSandbox, type Sandbox, withProcessor } from '../../../testing/src/builders/sandbox.ts'
import { readRows } from '../../../testing/src/invariants/rows.ts'
import type { PortCall } from '../../../testing/src/ports/around.ts'
import {
  type CommitFault,
  type Committing,
  crashingStore,
} from '../../../testing/src/ports/crashing-store.ts'
import { type Death, mortalProcess } from '../../../testing/src/ports/mortal-process.ts'
import { day_ms, second_ms } from '../../src/schema/timestamps.ts'

const create = (sandbox: Sandbox, input: object) => send(sandbox, 'payments.create', { input, key: 'k' })

/** A confirmed session, and a process that dies while it charges it; then a second process is left to heal. */
async function diedAt(plan: (call: PortCall) => Death, token = 'tok_test_visa') {
  const sandbox = await openSandbox()
  const { id } = await confirmedSession(sandbox, token)
  const input = { amount: 1000, currency: 'usd', payment_method_session: id }
  const mortal = mortalProcess(sandbox, plan)
  const dying = sandbox.another({ ...withProcessor(sandbox, mortal.processor), store: mortal.store })
  const answered = create(dying, input).then(() => 'answered' as const)
  const ended = await Promise.race([answered, mortal.died.then(() => 'died' as const)])
  expect(ended).toBe('died')
  return { sandbox, input }
}

const nthUnit = (n: number, death: Death) => (call: PortCall) =>
  call.method === 'transaction' && call.n === n ? death : 'lives'
const atCharge = (death: Death) => (call: PortCall) => (call.method === 'charge' ? death : 'lives')

async function inFlightThenHealed({ sandbox, input }: { sandbox: Sandbox; input: object }) {
  expect(await create(sandbox, input)).toMatchObject({ status: 409, code: 'idempotency_key_in_flight' })
  sandbox.clock.advance(30 * second_ms)
  return create(sandbox, input)
}

describe('a charge whose process dies', () => {
  it('W0 before the key was written: a retry executes normally', async () => {
    const { sandbox, input } = await diedAt(nthUnit(1, 'before'))
    expect((await readRows(sandbox.store, sandbox.scope)).idempotency_keys).toEqual([])
    expect(await create(sandbox, input)).toMatchObject({ status: 200, replayed: false })
    expect(sandbox.processor.ledger.charges()).toHaveLength(1)
  })

  it('W2 with a clock that goes back before its key is answered for: not until its time is over again', async () => {
    const { sandbox } = await diedAt(atCharge('before'))
    sandbox.clock.advance(31 * second_ms)
    const { store } = sandbox
    const read: typeof store.read = async (scope, work) => {
      const found = await store.read(scope, work)
      if (typeof found === 'object' && found !== null && 'lease_until' in found)
        sandbox.clock.jump(-2 * second_ms)
      return found
    }
    const key = async () => (await readRows(store, sandbox.scope)).idempotency_keys[0]
    await sandbox.another({ store: { ...store, read } }).engine.reconcile()
    expect(await key()).toMatchObject({ id: 'k', answer_status: null })
    sandbox.clock.advance(31 * second_ms)
    await sandbox.engine.reconcile()
    expect(await key()).toMatchObject({ id: 'k', answer_status: 402, lease_until: null })
  })

  it('W2 after the intent, before the charge: fenced and failed, never sent with a second key', async () => {
    const { sandbox, input } = await diedAt(atCharge('before'))
    const healed = await inFlightThenHealed({ sandbox, input })
    expect(healed).toMatchObject({ status: 402, code: 'card_declined', replayed: true })
    expect(JSON.parse(healed.body).error.decline_code).toBe('processing_error')
    const { payments, payment_methods } = await readRows(sandbox.store, sandbox.scope)
    expect(payments).toMatchObject([{ status: 'failed', evidence: 'not_found' }])
    // Nothing reached the processor, so the method is as good as before.
    expect(payment_methods).toMatchObject([{ status: 'active', charging_payment: null }])
    expect(sandbox.processor.ledger.charges()).toEqual([])
  })

  it('W3 after the charge, before its answer: the processor is asked, and knows', async () => {
    const healed = await inFlightThenHealed(await diedAt(atCharge('after')))
    expect(healed).toMatchObject({ status: 200, replayed: true })
    expect(JSON.parse(healed.body).status).toBe('succeeded')
  })

  it('W3 with an outcome nobody knows yet: processing, announced once, and resolved by the reconciler', async () => {
    const died = await diedAt(atCharge('after'), 'tok_test_unknown_forever')
    const { sandbox } = died
    const healed = await inFlightThenHealed(died)
    expect(JSON.parse(healed.body).status).toBe('processing')
    const { id } = JSON.parse(healed.body)
    sandbox.processor.control.settle(`${sandbox.scope.workspace}.${id}`, '2026-01-31T12:01:00.000Z')
    sandbox.clock.advance(60 * second_ms)
    await sandbox.engine.reconcile()
    const { events } = await readRows(sandbox.store, sandbox.scope)
    expect(events.map(({ type }) => type)).toEqual(['payment.processing', 'payment.succeeded'])
  })

  it.each([
    ['btok_test_success', ['payment.processing', 'payment.succeeded']],
    ['btok_test_account_closed', ['payment.processing', 'payment.returned']],
    ['btok_test_refused', ['payment.failed']],
    ['tok_test_visa', ['payment.succeeded']],
    ['tok_test_declined', ['payment.failed']],
    ['tok_test_chargeback', ['payment.succeeded', 'payment.returned']],
  ])(
    'W3 with %s found days later announces %o, from the status its create would have answered',
    async (token, types) => {
      const { sandbox, input } = await diedAt(atCharge('after'), token)
      sandbox.clock.advance(4 * day_ms)
      await sandbox.engine.reconcile()
      const { events, payments } = await readRows(sandbox.store, sandbox.scope)
      expect(events.map(({ type }) => type)).toEqual(types)
      expect(types.at(-1)).toBe(`payment.${payments[0]?.status}`)
      expect((await create(sandbox, input)).code).not.toBe('idempotency_key_in_flight')
      expect(sandbox.processor.ledger.charges()).toHaveLength(1)
    },
  )

  it('W4 with the answer in hand and not committed: the same question gives the same answer', async () => {
    const unit = (death: Death) => (call: PortCall) =>
      call.method === 'transaction' && call.n > 2 ? death : 'lives'
    const healed = await inFlightThenHealed(await diedAt(unit('before'), 'tok_test_declined'))
    expect(healed).toMatchObject({ status: 402, code: 'card_declined', replayed: true })
    expect(JSON.parse(healed.body).error.decline_code).toBe('generic_decline')
  })

  it('W5 with everything committed and nothing sent: a replay with the original request id', async () => {
    const unit = (call: PortCall) => (call.method === 'transaction' && call.n > 2 ? 'after' : 'lives')
    const { sandbox, input } = await diedAt(unit, 'tok_test_declined')
    const before = await readRows(sandbox.store, sandbox.scope)
    const replayed = await create(sandbox, input)
    expect(replayed).toMatchObject({ status: 402, code: 'card_declined', replayed: true })
    expect(JSON.parse(replayed.body).error.request_id).toBe(before.idempotency_keys[0]?.request_id)
    expect(await readRows(sandbox.store, sandbox.scope)).toEqual(before)
  })

  it('W6 with the response lost: the same as W5', async () => {
    const sandbox = await openSandbox()
    const { id } = await confirmedSession(sandbox, 'tok_test_visa')
    const input = { amount: 1000, currency: 'usd', payment_method_session: id }
    const lost = await create(sandbox, input)
    expect(await create(sandbox.another(), input)).toEqual({ ...lost, replayed: true })
  })

  it('W1 with the key taken and no intent: the key is let go, and a retry executes once', async () => {
    const sandbox = await openSandbox()
    const { id } = await openSession(sandbox, 'tok_test_visa')
    const mortal = mortalProcess(sandbox, (call) => (call.method === 'verify' ? 'before' : 'lives'))
    const dying = sandbox.another({ ...withProcessor(sandbox, mortal.processor), store: mortal.store })
    const request = { input: confirmation(id, 'tok_test_visa'), key: 'k' }
    void send(dying, 'payment_method_sessions.confirm', request)
    await mortal.died
    const confirm = () => send(sandbox, 'payment_method_sessions.confirm', request)
    expect((await confirm()).code).toBe('idempotency_key_in_flight')
    sandbox.clock.advance(30 * second_ms)
    expect(await confirm()).toMatchObject({ status: 200, replayed: false })
    expect((await confirm()).replayed).toBe(true)
  })
})

describe('a charge whose commit breaks', () => {
  const outcomeUnit = ({ written }: Committing) => written.has('payments') && written.has('events')
  const breaking = async (plan: (unit: Committing) => CommitFault) => {
    const sandbox = await openSandbox()
    const { id } = await confirmedSession(sandbox, 'tok_test_visa')
    const input = { amount: 1000, currency: 'usd', payment_method_session: id }
    const store = crashingStore(sandbox.store, plan)
    const answer = await create(sandbox.another({ store }), input)
    return { sandbox, input, answer }
  }

  it('with an unknown outcome, committed after all, answers what was committed', async () => {
    const { sandbox, input, answer } = await breaking((unit) => (outcomeUnit(unit) ? 'after_commit' : 'none'))
    expect(answer).toMatchObject({ status: 200, replayed: false })
    expect(await create(sandbox, input)).toEqual({ ...answer, replayed: true })
  })

  it('before the outcome is kept answers a stored 500, and the reconciler finds the charge', async () => {
    const { sandbox, input, answer } = await breaking((unit) =>
      outcomeUnit(unit) ? 'before_commit' : 'none',
    )
    expect(answer).toMatchObject({ status: 500, code: 'internal_error' })
    expect(await create(sandbox, input)).toEqual({ ...answer, replayed: true })
    sandbox.clock.advance(60 * second_ms)
    await sandbox.engine.reconcile()
    const { payments, events } = await readRows(sandbox.store, sandbox.scope)
    expect(payments.map(({ status }) => status)).toEqual(['succeeded'])
    expect(events).toHaveLength(1)
    expect(sandbox.processor.ledger.charges()).toHaveLength(1)
  })

  it.each(['before_commit', 'after_commit'] as const)(
    'at the intent, %s, never charges, and the method is free again in the end',
    async (fault) => {
      const { sandbox, input, answer } = await breaking(({ n }) => (n === 1 ? fault : 'none'))
      expect(answer).toMatchObject({ status: 500, code: 'internal_error' })
      expect(await create(sandbox, input)).toEqual({ ...answer, replayed: true })
      sandbox.clock.advance(60 * second_ms)
      await sandbox.engine.reconcile()
      expect(sandbox.processor.ledger.charges()).toEqual([])
      const { payment_methods } = await readRows(sandbox.store, sandbox.scope)
      for (const method of payment_methods) expect(method.charging_payment).toBeNull()
    },
  )
})
