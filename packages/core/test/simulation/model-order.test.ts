import { expect, it } from 'vitest'
import { openSandbox } from '../../../testing/src/builders/sandbox.ts'
import { expectQuiet } from '../../../testing/src/invariants/expect-invariants.ts'
import { readRows } from '../../../testing/src/invariants/rows.ts'
import type { Command } from '../../../testing/src/models/command.ts'
import { commands } from '../../../testing/src/models/commands.ts'
import { emptyModel } from '../../../testing/src/models/model.ts'

const { advanceClock, decideRefund, happens, passTime, reconcile } = commands
const hour_ms = 3_600_000
const payRest = (token: string) => commands.payInvoice({ drawn: 0, token, amount: undefined, key: 'rest' })

/**
 * Of 1000, 600 are paid, and their refund comes within the hour; then the rest is paid. Covered before the refund, the
 * invoice stays paid; after it, it is never covered.
 */
const histories: [status: 'open' | 'paid', then: Command[]][] = [
  ['open', [passTime(2 * hour_ms), payRest('btok_test_success'), advanceClock(60)]],
  ['open', [passTime(2 * hour_ms), payRest('btok_test_success'), passTime(60_000), reconcile()]],
  ['open', [passTime(hour_ms - 30_000), payRest('btok_test_success'), advanceClock(60)]],
  ['open', [passTime(hour_ms - 60_000), payRest('btok_test_success'), advanceClock(60)]],
  ['paid', [payRest('btok_test_success'), passTime(hour_ms), reconcile()]],
  ['paid', [payRest('btok_test_success'), passTime(60_000), decideRefund('succeed', 0)]],
  ['open', [payRest('btok_test_never_settles'), passTime(hour_ms), happens('settle', 0)]],
  ['paid', [payRest('tok_test_unknown_approved'), advanceClock(3_600)]],
  // The engine asks what became of an unanswered charge once it has heard what the processor tells by itself.
  ['open', [payRest('tok_test_unknown_approved'), passTime(hour_ms), reconcile()]],
  ['open', [payRest('tok_test_unknown_approved'), passTime(60_000), decideRefund('succeed', 0)]],
]

// A refund that came before the payment of the rest left the invoice paid in the model alone, once in many thousand histories.
it.each(histories)('what comes meanwhile comes in its order: the invoice is %s after %s', async (...row) => {
  const [status, then] = row
  const sandbox = await openSandbox()
  const { store, scope } = sandbox
  const running = { sandbox, rows: await readRows(store, scope) }
  const model = emptyModel()
  const first = [
    commands.sendNewInvoice(1000),
    commands.payInvoice({ drawn: 0, token: 'tok_test_refund_pending', amount: 600, key: 'part' }),
    commands.refundPayment({ drawn: 0, amount: undefined, key: 'refund' }),
  ]
  for (const command of [...first, ...then]) await command.run(model, running)
  expect(running.rows.invoices).toMatchObject([{ status }])
  await expectQuiet(sandbox, 'at rest')
})
