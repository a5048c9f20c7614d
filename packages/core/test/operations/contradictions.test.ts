import { expect, it } from 'vitest'
import { accepted, pay, shownPayment } from '../../../testing/src/builders/requests.ts'
import { refund, shownRefund } from '../../../testing/src/builders/sales.ts'
import { openSandbox, type Sandbox, withProcessor } from '../../../testing/src/builders/sandbox.ts'
import type { Notification } from '../../src/index.ts'

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
    [
      'the processor contradicts a final status',
      { ...sandbox.scope, id, status: 'failed', processor: 'settled' },
    ],
  ])
  expect((await shownPayment(sandbox, id)).status).toBe('failed')
})

it('a refund that was refused although it has succeeded is logged, and moves nothing', async () => {
  const sandbox = await openSandbox()
  const { id: payment } = accepted(await pay(sandbox, 'tok_test_visa'))
  const { id } = accepted(await refund(sandbox, { payment }))
  const state = { kind: 'refused', failure_code: 'closed', message: 'The account is closed.' } as const
  expect(await loggedAfter(sandbox, id, { of: 'refund', state })).toMatchObject([
    ['the processor contradicts a final status', { id, status: 'succeeded', processor: 'refused' }],
  ])
  expect((await shownRefund(sandbox, id)).status).toBe('succeeded')
})

it('what is told again is not logged', async () => {
  const sandbox = await openSandbox()
  const { id } = accepted(await pay(sandbox, 'tok_test_visa'))
  expect(await loggedAfter(sandbox, id, { of: 'charge', state: { kind: 'settled' } })).toEqual([])
})
