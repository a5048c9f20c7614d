import { describe, expect, it } from 'vitest'
import { sampleRow } from '../../../testing/src/store/sample-row.ts'
import type { PaymentRow, PaymentStatus } from '../../src/payments/payment.ts'
import { triggersOf } from '../../src/payments/payment-machine.ts'
import type { ChargeAnswer, ChargeState, RefundAnswer } from '../../src/ports/processor.ts'
import { triggerOf as refundTriggerOf } from '../../src/refunds/refund-machine.ts'

const scope = { workspace: 'w', livemode: false }
const refusal = { kind: 'declined' as const, decline_code: 'lost_card', message: 'The card was declined.' }
const declined = { code: 'declined', ...refusal, return_code: null, kind: undefined }

const payment = (payment_method_type: PaymentRow['payment_method_type'], status: PaymentStatus | null) =>
  sampleRow('payments', scope, 'pay_test_1', { payment_method_type, status })

describe('what the processor answers to a charge', () => {
  const card = payment('card', null)
  const debit = payment('us_bank_account', null)

  it.each([
    [card, ['approved', 'accepted', 'unanswered']],
    [debit, ['accepted', 'unanswered']],
  ] as const)('is taken as it is where it is what one answers to $payment_method_type', (row, kinds) => {
    for (const kind of kinds) expect(triggersOf(row, { kind })).toEqual([{ on: kind }])
  })

  it('is that a debit was accepted first where it is approved at once', () => {
    expect(triggersOf(debit, { kind: 'approved' })).toEqual([{ on: 'accepted' }, { on: 'approved' }])
  })

  it('is a refusal with its reason when it declines', () => {
    for (const row of [card, debit])
      expect(triggersOf(row, refusal)).toEqual([{ on: 'refused', failure: declined }])
  })

  it('is known never to have happened when it was unreachable', () => {
    const failure = { code: 'processor_unreachable', decline_code: 'processing_error', return_code: null }
    const message = 'The charge never reached the processor.'
    const unreachable: ChargeAnswer = { kind: 'unreachable' }
    for (const row of [card, debit])
      expect(triggersOf(row, unreachable)).toMatchObject([
        { on: 'unreachable', failure: { ...failure, message } },
      ])
  })
})

describe('how far the processor says a charge has come', () => {
  const steps = (row: PaymentRow, state: ChargeState) => triggersOf(row, state).map(({ on }) => on)
  const returned: ChargeState = { kind: 'returned', return_code: 'R01', message: 'Insufficient funds.' }

  it.each([null, 'processing'] as const)(
    'is that a card approved before it was charged back, where the payment is still %s',
    (status) => {
      expect(steps(payment('card', status), returned)).toEqual(['approved', 'returned'])
    },
  )

  it('is one step for a debit that was settled before it came back', () => {
    expect(steps(payment('us_bank_account', 'succeeded'), returned)).toEqual(['returned'])
  })

  it('is one step for a card whose approval is known', () => {
    expect(steps(payment('card', 'succeeded'), returned)).toEqual(['returned'])
    expect(steps(payment('card', null), { kind: 'approved' })).toEqual(['approved'])
  })

  it.each(['approved', 'settled'] as const)(
    'is that an intent of a card was approved where it is %s',
    (kind) => {
      expect(steps(payment('card', null), { kind })).toEqual(['approved'])
    },
  )

  it('is that an intent of a card was accepted before it was voided', () => {
    expect(steps(payment('card', null), { kind: 'voided' })).toEqual(['accepted', 'voided'])
    expect(steps(payment('card', 'processing'), { kind: 'voided' })).toEqual(['voided'])
  })

  it.each([{ kind: 'approved' }, { kind: 'settled' }, { kind: 'voided' }] as ChargeState[])(
    'is that a debit was accepted before it was $kind, where the payment is only an intent',
    (state) => {
      expect(steps(payment('us_bank_account', null), state)).toEqual(['accepted', state.kind])
      expect(steps(payment('us_bank_account', 'processing'), state)).toEqual([state.kind])
    },
  )

  it.each([null, 'processing'] as const)(
    'is that a debit was accepted before it came back, where the payment is still %s',
    (status) => {
      expect(steps(payment('us_bank_account', status), returned)).toEqual(['accepted', 'returned'])
    },
  )

  it('is one step for a debit that was accepted or refused at once', () => {
    const intent = payment('us_bank_account', null)
    expect(steps(intent, { kind: 'accepted' })).toEqual(['accepted'])
    expect(triggersOf(intent, refusal)).toEqual([{ on: 'refused', failure: declined }])
  })

  it.each([
    ['R01', 'bank_return'],
    ['chargeback', 'chargeback'],
  ])('explains a return with %s as a %s', (return_code, code) => {
    const [trigger] = triggersOf(payment('card', 'succeeded'), { ...returned, return_code })
    const failure = { code, message: 'Insufficient funds.', decline_code: null, return_code }
    expect(trigger).toEqual({ on: 'returned', failure })
  })
})

describe('what the processor says of a refund', () => {
  const refused = { code: 'refund_refused', message: 'The bank refuses refunds to this card.' }
  const unreachable = {
    code: 'processor_unreachable',
    message: 'The refund never reached the processor.',
  }

  it.each([
    [{ kind: 'succeeded' }, { on: 'confirmed' }],
    [{ kind: 'pending' }, { on: 'accepted' }],
    [{ kind: 'unanswered' }, { on: 'unanswered' }],
    [{ kind: 'unreachable' }, { on: 'unreachable', failure: unreachable }],
    [
      { kind: 'refused', failure_code: refused.code, message: refused.message },
      { on: 'refused', failure: refused },
    ],
  ] as [RefundAnswer, unknown][])('%o becomes %o', (answer, trigger) => {
    expect(refundTriggerOf(answer)).toEqual(trigger)
  })
})
