import type { ChargeRequest, Notification } from '@quittance/core'
import { describe, expect, it } from 'vitest'
import { type SimulatedProcessor, simulatedProcessor } from '../src/simulated-processor.ts'
import { tokenFor } from '../src/test-tokens.ts'

const noon = '2026-01-31T12:00:00.000Z'
const after_a_minute = '2026-01-31T12:01:00.000Z'
const after_an_hour = '2026-01-31T13:00:00.000Z'
const years_later = '2029-01-31T12:00:00.000Z'

describe('card tokens', () => {
  it.each([
    ['tok_test_visa', '4242424242424242', 'visa', '4242'],
    ['tok_test_mastercard', '5555555555554444', 'mastercard', '4444'],
    ['tok_test_amex', '378282246310005', 'amex', '0005'],
    ['tok_test_declined', '4000000000000002', 'visa', '0002'],
    ['tok_test_insufficient_funds', '4000000000009995', 'visa', '9995'],
    ['tok_test_unreachable', '4000000000000119', 'visa', '0119'],
    ['tok_test_unknown_approved', '4000000000000606', 'visa', '0606'],
    ['tok_test_unknown_declined', '4000000000000614', 'visa', '0614'],
    ['tok_test_unknown_forever', '4000000000000622', 'visa', '0622'],
    ['tok_test_chargeback', '4000000000000259', 'visa', '0259'],
    ['tok_test_refund_pending', '4000000000007726', 'visa', '7726'],
    ['tok_test_refund_fails', '4000000000005126', 'visa', '5126'],
    ['tok_test_refund_refused', '4000000000003238', 'visa', '3238'],
  ])('%s is the card %s', async (token, number, brand, last4) => {
    expect(tokenFor({ number })).toBe(token)
    expect(await simulatedProcessor().verify({ token, type: 'card', at: noon })).toEqual({
      kind: 'verified',
      type: 'card',
      card: { brand, last4, exp_month: 12, exp_year: 2034, funding: 'credit' },
    })
  })

  it('reads a card number with spaces or dashes, and knows no token for another one', () => {
    expect(tokenFor({ number: '4242 4242-4242 4242' })).toBe('tok_test_visa')
    expect(tokenFor({ number: '4111111111111111' })).toBeNull()
    expect(tokenFor({ number: '000123456789' })).toBeNull()
  })

  it('tok_test_incorrect_cvc is refused at confirm', async () => {
    const token = tokenFor({ number: '4000000000000127' }) ?? ''
    expect(token).toBe('tok_test_incorrect_cvc')
    expect((await simulatedProcessor().verify({ token, type: 'card', at: noon })).kind).toBe('refused')
  })

  it('tok_test_expired is a card whose expiry month has passed', async () => {
    const token = tokenFor({ number: '4000000000000069' }) ?? ''
    expect(token).toBe('tok_test_expired')
    const card = { brand: 'visa', last4: '0069', exp_month: 1, exp_year: 2020, funding: 'credit' }
    const verification = await simulatedProcessor().verify({ token, type: 'card', at: noon })
    expect(verification).toEqual({ kind: 'verified', type: 'card', card })
  })

  it.each([
    ['tok_test_declined', 'generic_decline'],
    ['tok_test_insufficient_funds', 'insufficient_funds'],
    ['tok_test_incorrect_cvc', 'incorrect_cvc'],
    ['tok_test_expired', 'expired_card'],
    ['tok_nobody_gave_out', 'invalid_token'],
  ])('%s is declined with %s, and no money moves', async (token, decline_code) => {
    const processor = simulatedProcessor()
    expect(await charge(processor, token)).toMatchObject({ kind: 'declined', decline_code })
    expect(processor.ledger.totals()).toEqual({})
    expect(await notified(processor, years_later)).toEqual([])
  })

  it('a token of the other type is declined like one that does not exist', async () => {
    const request = {
      key: 'charge',
      token: 'btok_test_success',
      type: 'card',
      amount: 100,
      currency: 'USD',
      at: noon,
    } as const
    expect(await simulatedProcessor().charge(request)).toMatchObject({
      kind: 'declined',
      decline_code: 'invalid_token',
    })
  })

  it('tok_test_unreachable leaves nothing in the ledger, ever', async () => {
    const processor = simulatedProcessor()
    expect(await charge(processor, 'tok_test_unreachable')).toEqual({ kind: 'unreachable' })
    expect(processor.ledger.charges()).toEqual([])
  })

  it.each([
    ['tok_test_unknown_approved', { kind: 'charge', state: { kind: 'approved' } }, 100],
    [
      'tok_test_unknown_declined',
      { kind: 'charge', state: { kind: 'declined', decline_code: 'generic_decline' } },
      0,
    ],
    ['tok_test_unknown_forever', { kind: 'unknown' }, 0],
  ])('%s is not answered, and found by a lookup', async (token, found, captured) => {
    const processor = simulatedProcessor()
    expect(await charge(processor, token)).toEqual({ kind: 'unanswered' })
    expect(await processor.lookup({ key: 'charge', at: noon })).toMatchObject(found)
    expect(await processor.lookup({ key: 'charge', at: years_later })).toMatchObject(found)
    expect(processor.ledger.totals().USD?.captured ?? 0).toBe(captured)
  })

  it('tok_test_chargeback is approved, and charged back after 3 days', async () => {
    const processor = simulatedProcessor()
    expect(await charge(processor, 'tok_test_chargeback')).toEqual({ kind: 'approved' })
    expect(await processor.nextNotificationAt()).toBe('2026-02-03T12:00:00.000Z')
    expect(await notified(processor, '2026-02-03T11:59:59.999Z')).toEqual([])
    expect(await notified(processor, '2026-02-03T12:00:00.000Z')).toMatchObject([
      {
        id: 'charge:returned',
        of: 'charge',
        key: 'charge',
        state: { kind: 'returned', return_code: 'chargeback' },
      },
    ])
    expect(processor.ledger.totals()).toEqual({ USD: { captured: 100, refunded: 0, returned: 100 } })
  })

  it.each([
    ['tok_test_visa', 'succeeded', []],
    ['tok_test_refund_pending', 'pending', ['succeeded']],
    ['tok_test_refund_fails', 'pending', ['refused']],
    ['tok_test_refund_refused', 'refused', []],
  ])('a refund of %s is %s, and after an hour %j', async (token, answer, later) => {
    const processor = simulatedProcessor()
    await charge(processor, token)
    const refund = { key: 'refund', charge_key: 'charge', amount: 100, currency: 'USD', at: noon }
    expect((await processor.refund(refund)).kind).toBe(answer)
    expect(await notified(processor, '2026-01-31T12:59:59.999Z')).toEqual([])
    const told = await notified(processor, after_an_hour)
    expect(told.map(({ state }) => state.kind)).toEqual(later)
    const gone = [answer, ...later].at(-1) === 'succeeded' ? 100 : 0
    expect(processor.ledger.totals()).toEqual({ USD: { captured: 100, refunded: gone, returned: 0 } })
  })
})

describe('bank account tokens', () => {
  it.each([
    ['btok_test_success', '000123456789'],
    ['btok_test_account_closed', '000111111113'],
    ['btok_test_insufficient_funds', '000222222227'],
    ['btok_test_late_return', '000555555559'],
    ['btok_test_refused', '000444444440'],
    ['btok_test_never_settles', '000000000009'],
  ])('%s is the account %s', async (token, account_number) => {
    expect(tokenFor({ routing_number: '110000000', account_number })).toBe(token)
    expect(tokenFor({ routing_number: '110000001', account_number })).toBeNull()
    const verification = await simulatedProcessor().verify({ token, type: 'us_bank_account', at: noon })
    const us_bank_account = {
      bank_name: 'Test Bank',
      routing_number: '110000000',
      last4: account_number.slice(-4),
    }
    expect(verification).toMatchObject({ kind: 'verified', type: 'us_bank_account', us_bank_account })
  })

  it('btok_test_verification_fails is refused at confirm', async () => {
    const token = tokenFor({ routing_number: '110000000', account_number: '000666666661' }) ?? ''
    expect(token).toBe('btok_test_verification_fails')
    const verification = await simulatedProcessor().verify({ token, type: 'us_bank_account', at: noon })
    expect(verification.kind).toBe('refused')
    expect((await charge(simulatedProcessor(), token)).kind).toBe('declined')
  })

  it.each([
    ['btok_test_success', [{ kind: 'settled' }], 100],
    ['btok_test_account_closed', [{ kind: 'returned', return_code: 'R02' }], 0],
    ['btok_test_insufficient_funds', [{ kind: 'returned', return_code: 'R01' }], 0],
    ['btok_test_late_return', [{ kind: 'settled' }], 100],
    ['btok_test_refused', [{ kind: 'declined', decline_code: 'debit_refused' }], 0],
    ['btok_test_never_settles', [], 0],
  ])('%s is accepted, and 60 s later the batch says %j', async (token, states, captured) => {
    const processor = simulatedProcessor()
    expect(await charge(processor, token)).toEqual({ kind: 'accepted' })
    expect(await notified(processor, '2026-01-31T12:00:59.999Z')).toEqual([])
    expect((await notified(processor, after_a_minute)).map(({ state }) => state)).toMatchObject(states)
    expect(processor.ledger.totals().USD?.captured ?? 0).toBe(captured)
    if (token !== 'btok_test_late_return')
      expect(await notified(processor, years_later)).toHaveLength(states.length)
  })

  it('btok_test_late_return is returned with R01 two days after it settled', async () => {
    const processor = simulatedProcessor()
    await charge(processor, 'btok_test_late_return')
    expect(await notified(processor, '2026-02-02T12:00:59.999Z')).toHaveLength(1)
    const told = await notified(processor, '2026-02-02T12:01:00.000Z')
    expect(told.map(({ state }) => state)).toMatchObject([
      { kind: 'settled' },
      { kind: 'returned', return_code: 'R01' },
    ])
  })
})

function charge(processor: SimulatedProcessor, token: string) {
  const type: ChargeRequest['type'] = token.startsWith('btok') ? 'us_bank_account' : 'card'
  return processor.charge({ key: 'charge', token, type, amount: 100, currency: 'USD', at: noon })
}

async function notified(processor: SimulatedProcessor, at: string): Promise<Notification[]> {
  return (await processor.notifications({ after: null, at })).notifications
}
