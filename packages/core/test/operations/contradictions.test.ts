import { describe, expect, it, vi } from 'vitest'
import { accepted, pay, shownPayment } from '../../../testing/src/builders/requests.ts'
import { advance, refund, shownRefund } from '../../../testing/src/builders/sales.ts'
import { openSandbox, type Sandbox, withProcessor } from '../../../testing/src/builders/sandbox.ts'
import type { Notification, Processor } from '../../src/index.ts'

/** What an engine logs whose processor tells this of one of our records, once. */
async function loggedAfter(sandbox: Sandbox, id: string, told: Pick<Notification, 'of' | 'state'>) {
  const errors: [string, object?][] = []
  const logger = { info() {}, warn() {}, error: (...said: [string, object?]) => void errors.push(said) }
  const told_once = { id: 'n1', key: `${sandbox.scope.workspace}.${id}`, ...told } as Notification
  const processor = {
    ...sandbox.processor,
    notifications: async ({ after }: { after: string | null }) => ({
      notifications: after === 'n1' ? [] : [told_once],
      cursor: 'n1',
    }),
  }
  await sandbox.another({ ...withProcessor(sandbox, processor), logger }).engine.reconcile()
  return errors
}

// Nobody heard of it, and the cursor moved on for good.
it('a charge that was settled although its payment has failed is logged, and moves nothing', async () => {
  const sandbox = await openSandbox()
  await pay(sandbox, 'tok_test_declined')
  const [failed] = accepted(await sandbox.engine.payments.list(sandbox.caller, {})).data
  const id = failed?.id ?? ''
  expect(await loggedAfter(sandbox, id, { of: 'charge', state: { kind: 'settled' } })).toEqual([
    ['the processor contradicts itself', { ...sandbox.scope, id, status: 'failed', processor: 'settled' }],
  ])
  expect((await shownPayment(sandbox, id)).status).toBe('failed')
})

it('a refund that was refused although it has succeeded is logged, and moves nothing', async () => {
  const sandbox = await openSandbox()
  const { id: payment } = accepted(await pay(sandbox, 'tok_test_visa'))
  const { id } = accepted(await refund(sandbox, { payment }))
  const state = { kind: 'refused', failure_code: 'closed', message: 'The account is closed.' } as const
  expect(await loggedAfter(sandbox, id, { of: 'refund', state })).toMatchObject([
    ['the processor contradicts itself', { id, status: 'succeeded', processor: 'refused' }],
  ])
  expect((await shownRefund(sandbox, id)).status).toBe('succeeded')
})

it.each([
  ['declined', { kind: 'declined', decline_code: 'fraud', message: 'No.' }, 'refused'],
  ['voided', { kind: 'voided' }, 'voided'],
] as const)(
  'a card that was %s after it was charged is logged, and moves nothing',
  async (_, state, processor) => {
    const sandbox = await openSandbox()
    const { id } = accepted(await pay(sandbox, 'tok_test_visa'))
    expect(await loggedAfter(sandbox, id, { of: 'charge', state })).toMatchObject([
      ['the processor contradicts itself', { id, status: 'succeeded', processor }],
    ])
    expect((await shownPayment(sandbox, id)).status).toBe('succeeded')
  },
)

it('a charge that is not here is logged, as after a restore of the database', async () => {
  const sandbox = await openSandbox()
  const id = 'pay_test_000000000000000000000000'
  expect(await loggedAfter(sandbox, id, { of: 'charge', state: { kind: 'approved' } })).toEqual([
    ['the processor has a charge or refund that the database lacks', { ...sandbox.scope, id, of: 'charge' }],
  ])
})

describe('what a processor has accepted and does not find any more', () => {
  async function forgetting(sandbox: Sandbox) {
    const error = vi.fn()
    const lookup: Processor['lookup'] = async () => ({ kind: 'not_found' })
    const notifications: Processor['notifications'] = async () => ({ notifications: [], cursor: null })
    const processor = { ...sandbox.processor, lookup, notifications }
    const logger = { info() {}, warn() {}, error }
    return { error, engine: sandbox.another({ ...withProcessor(sandbox, processor), logger }).engine }
  }

  it('a debit stays processing, is logged, and settles', async () => {
    const sandbox = await openSandbox()
    const { id } = accepted(await pay(sandbox, 'btok_test_success'))
    const { engine, error } = await forgetting(sandbox)
    sandbox.clock.advance(60_000)
    await engine.reconcile()
    expect((await shownPayment(sandbox, id)).status).toBe('processing')
    expect(error.mock.calls).toEqual([
      [
        'the processor contradicts itself',
        { ...sandbox.scope, id, status: 'processing', processor: 'unreachable' },
      ],
    ])
    await advance(sandbox, 3600)
    expect((await shownPayment(sandbox, id)).status).toBe('succeeded')
  })

  it('a refund stays pending, counts against the balance, and is logged', async () => {
    const sandbox = await openSandbox()
    const { id: payment } = accepted(await pay(sandbox, 'tok_test_refund_pending'))
    const { id } = accepted(await refund(sandbox, { payment }))
    const { engine, error } = await forgetting(sandbox)
    sandbox.clock.advance(60_000)
    await engine.reconcile()
    expect((await shownRefund(sandbox, id)).status).toBe('pending')
    expect((await shownPayment(sandbox, payment)).amount_refunded).toBe(1000)
    expect(error.mock.calls).toMatchObject([
      ['the processor contradicts itself', { id, status: 'pending', processor: 'unreachable' }],
    ])
  })
})

it('what is told again is not logged', async () => {
  const sandbox = await openSandbox()
  const { id } = accepted(await pay(sandbox, 'tok_test_visa'))
  expect(await loggedAfter(sandbox, id, { of: 'charge', state: { kind: 'settled' } })).toEqual([])
})
