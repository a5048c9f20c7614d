import { describe, expect, it } from 'vitest'
import { type SimulatedProcessor, simulatedProcessor } from '../src/simulated-processor.ts'

const at = '2026-01-31T12:00:00.000Z'
const now = '2026-01-31T12:00:10.000Z'
const years_later = '2029-01-31T12:00:00.000Z'

describe('the control of a bank debit', () => {
  it('settles it now, once, and the batch does not settle it again', async () => {
    const processor = await charged('btok_test_success')
    expect(processor.control.settle('charge', now)).toBe(true)
    expect(processor.control.settle('charge', now)).toBe(false)
    expect(processor.ledger.charge('charge')?.history.map(({ at, state }) => [at, state.kind])).toEqual([
      [at, 'accepted'],
      [now, 'settled'],
    ])
    expect(await told(processor)).toEqual(['charge:settled'])
    expect(processor.ledger.totals()).toEqual({ USD: { captured: 100, refunded: 0, returned: 0 } })
  })

  it('settles one early, and it is still returned two days after that', async () => {
    const processor = await charged('btok_test_late_return')
    processor.control.settle('charge', now)
    await processor.notifications({ after: null, at: now })
    expect(await processor.nextNotificationAt()).toBe('2026-02-02T12:00:10.000Z')
    expect(await told(processor)).toEqual(['charge:settled', 'charge:returned'])
  })

  it('settles one that never would', async () => {
    const processor = await charged('btok_test_never_settles')
    expect(processor.control.settle('charge', years_later)).toBe(true)
    expect(await told(processor)).toEqual(['charge:settled'])
  })

  it('fails it only while it is accepted', async () => {
    const processor = await charged('btok_test_success')
    expect(processor.control.fail('charge', now)).toBe(true)
    expect(processor.control.settle('charge', now)).toBe(false)
    expect(processor.control.returnCharge('charge', 'R01', now)).toBe(false)
    expect(await told(processor)).toEqual(['charge:declined'])
  })

  it('returns it before and after it settled, never twice', async () => {
    const early = await charged('btok_test_success')
    expect(early.control.returnCharge('charge', 'R03', now)).toBe(true)
    expect(early.ledger.charge('charge')?.state).toMatchObject({ kind: 'returned', return_code: 'R03' })
    expect(early.ledger.totals()).toEqual({})
    const late = await charged('btok_test_late_return')
    expect(late.control.returnCharge('charge', 'R10', '2026-02-01T12:00:00.000Z')).toBe(true)
    expect(late.control.returnCharge('charge', 'R10', '2026-02-01T12:00:00.000Z')).toBe(false)
    expect(await told(late)).toEqual(['charge:settled', 'charge:returned'])
    expect(late.ledger.totals()).toEqual({ USD: { captured: 100, refunded: 0, returned: 100 } })
  })

  it('does nothing to a voided debit, and knows no chargeback of one', async () => {
    const processor = await charged('btok_test_success')
    expect(processor.control.chargeback('charge', at)).toBe(false)
    await processor.void({ key: 'charge', at })
    expect(processor.control.settle('charge', now)).toBe(false)
    expect(processor.control.fail('charge', now)).toBe(false)
    expect(await told(processor)).toEqual([])
  })
})

describe('the control of a card charge', () => {
  it('charges back an approved one, once', async () => {
    const processor = await charged('tok_test_chargeback')
    expect(processor.control.returnCharge('charge', 'R01', now)).toBe(false)
    expect(processor.control.chargeback('charge', now)).toBe(true)
    expect(processor.control.chargeback('charge', now)).toBe(false)
    expect(await told(processor)).toEqual(['charge:returned'])
  })

  it.each(['tok_test_unknown_forever', 'tok_test_unknown_approved'])(
    'approves the unanswered %s',
    async (token) => {
      const processor = await charged(token)
      expect(processor.control.settle('charge', now)).toBe(true)
      expect(processor.control.settle('charge', now)).toBe(false)
      expect(processor.control.fail('charge', now)).toBe(false)
      expect(await told(processor)).toEqual(['charge:approved'])
      expect(processor.ledger.totals()).toEqual({ USD: { captured: 100, refunded: 0, returned: 0 } })
    },
  )

  it.each(['tok_test_unknown_forever', 'tok_test_unknown_declined'])(
    'declines the unanswered %s',
    async (token) => {
      const processor = await charged(token)
      expect(processor.control.fail('charge', now)).toBe(true)
      expect(processor.control.settle('charge', now)).toBe(false)
      expect(await told(processor)).toEqual(['charge:declined'])
      expect(await processor.lookup({ key: 'charge', at: now })).toMatchObject({
        state: { kind: 'declined' },
      })
    },
  )

  it('decides nothing against an answer that was given', async () => {
    for (const token of ['tok_test_visa', 'tok_test_declined']) {
      const processor = await charged(token)
      expect([processor.control.settle('charge', now), processor.control.fail('charge', now)]).toEqual([
        false,
        false,
      ])
    }
    expect(simulatedProcessor().control.settle('nothing', now)).toBe(false)
  })
})

describe('the control of a refund', () => {
  it('ends a pending one now, and the hour changes nothing more', async () => {
    const processor = await charged('tok_test_refund_pending')
    const refund = { charge_key: 'charge', amount: 50, currency: 'USD', at }
    await processor.refund({ ...refund, key: 'good' })
    await processor.refund({ ...refund, key: 'bad' })
    expect(processor.control.succeedRefund('good', now)).toBe(true)
    expect(processor.control.failRefund('good', now)).toBe(false)
    expect(processor.control.failRefund('bad', now)).toBe(true)
    expect(await told(processor)).toEqual(['good:succeeded', 'bad:refused'])
    expect(processor.ledger.totals()).toEqual({ USD: { captured: 100, refunded: 50, returned: 0 } })
    // What failed may be asked for again.
    expect(await processor.refund({ ...refund, key: 'again' })).toEqual({ kind: 'pending' })
  })

  it('that succeeds after a chargeback was in the money taken back, and is not counted twice', async () => {
    const processor = await charged('tok_test_refund_pending')
    await processor.refund({ key: 'refund', charge_key: 'charge', amount: 30, currency: 'USD', at })
    processor.control.chargeback('charge', now)
    expect(processor.ledger.totals()).toEqual({ USD: { captured: 100, refunded: 0, returned: 100 } })
    expect(processor.control.succeedRefund('refund', now)).toBe(true)
    expect(processor.ledger.totals()).toEqual({ USD: { captured: 100, refunded: 30, returned: 70 } })
  })
})

async function charged(token: string): Promise<SimulatedProcessor> {
  const processor = simulatedProcessor()
  const type = token.startsWith('btok') ? 'us_bank_account' : 'card'
  await processor.charge({ key: 'charge', token, type, amount: 100, currency: 'USD', at })
  return processor
}

async function told(processor: SimulatedProcessor): Promise<string[]> {
  const { notifications } = await processor.notifications({ after: null, at: years_later })
  return notifications.map(({ id }) => id)
}
