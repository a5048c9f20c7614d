import { describe, expect, it } from 'vitest'
import { type Ledger, memoryLedger } from '../src/ledger.ts'
import { type SimulatedProcessor, simulatedProcessor } from '../src/simulated-processor.ts'

const at = '2026-01-31T12:00:00.000Z'
const after_a_minute = '2026-01-31T12:01:00.000Z'
const years_later = '2029-01-31T12:00:00.000Z'
const card = { token: 'tok_test_visa', type: 'card', amount: 100, currency: 'USD', at } as const
const debit = { ...card, token: 'btok_test_success', type: 'us_bank_account' } as const

describe('a key', () => {
  it('answers what it answered then, however far the charge has come', async () => {
    const processor = simulatedProcessor()
    await processor.charge({ ...debit, key: 'charge' })
    await processor.notifications({ after: null, at: years_later })
    expect(await processor.charge({ ...debit, key: 'charge', at: years_later })).toEqual({ kind: 'accepted' })
    expect(processor.ledger.charges()).toHaveLength(1)
  })

  it('throws when it comes again with another amount, currency, token or charge', async () => {
    const processor = simulatedProcessor()
    const charge = { ...card, key: 'charge' }
    const refund = { key: 'refund', charge_key: 'charge', amount: 10, currency: 'USD', at }
    await processor.charge(charge)
    await processor.refund(refund)
    await expect(processor.charge({ ...charge, amount: 101 })).rejects.toThrow('used before')
    await expect(processor.charge({ ...charge, currency: 'EUR' })).rejects.toThrow('used before')
    await expect(processor.charge({ ...charge, token: 'tok_test_amex' })).rejects.toThrow('used before')
    await expect(processor.refund({ ...refund, amount: 11 })).rejects.toThrow('used before')
    await expect(processor.refund({ ...refund, charge_key: 'other' })).rejects.toThrow('used before')
    await expect(processor.refund({ ...refund, key: 'charge' })).rejects.toThrow('belongs to a charge')
    await expect(processor.charge({ ...charge, key: 'refund' })).rejects.toThrow('belongs to a refund')
    expect(processor.ledger.totals()).toEqual({ USD: { captured: 100, refunded: 10, returned: 0 } })
  })

  it.each([0, -1, 1.5, Number.NaN, 2 ** 53])(
    'throws for the amount %d, and charges nothing',
    async (amount) => {
      const processor = simulatedProcessor()
      await expect(processor.charge({ ...card, key: 'charge', amount })).rejects.toThrow(RangeError)
      expect(processor.ledger.charges()).toEqual([])
    },
  )

  it('is declined with expired_key once it was not found, and leaves nothing in the ledger', async () => {
    const processor = simulatedProcessor()
    await processor.lookup({ key: 'charge', at })
    expect(await processor.charge({ ...card, key: 'charge' })).toMatchObject({ decline_code: 'expired_key' })
    expect(processor.ledger.charges()).toEqual([])
    expect(await processor.lookup({ key: 'charge', at: years_later })).toEqual({ kind: 'not_found' })
  })
})

describe('a refund', () => {
  it.each([
    ['exceeds_balance', 'tok_test_refund_pending', 60],
    ['charge_returned', 'tok_test_chargeback', 10],
    ['charge_not_captured', 'tok_test_declined', 10],
  ])('is refused with %s', async (failure_code, token, amount) => {
    const processor = simulatedProcessor()
    await processor.charge({ ...card, token, key: 'charge' })
    // A pending refund holds its part of the balance; a chargeback needs its days.
    const pending = failure_code === 'exceeds_balance'
    const refund = { charge_key: 'charge', amount, currency: 'USD', at: pending ? at : years_later }
    if (pending) await processor.refund({ ...refund, key: 'first' })
    const answer = await processor.refund({ ...refund, key: 'refund' })
    expect(answer).toMatchObject({ kind: 'refused', failure_code })
    expect(await processor.refund({ ...refund, key: 'refund' })).toEqual(answer)
  })

  it('is refused in another currency, and for a charge that is not there', async () => {
    const processor = simulatedProcessor()
    await processor.charge({ ...card, key: 'charge' })
    const refund = { charge_key: 'charge', amount: 10, currency: 'USD', at }
    const elsewhere = await processor.refund({ ...refund, key: 'a', currency: 'EUR' })
    expect(elsewhere).toMatchObject({ failure_code: 'currency_mismatch' })
    const nowhere = await processor.refund({ ...refund, key: 'b', charge_key: 'other' })
    expect(nowhere).toMatchObject({ failure_code: 'charge_not_found' })
  })
})

describe('notifications', () => {
  it('come in the order of their times, whatever the order of the charges', async () => {
    const processor = simulatedProcessor()
    await processor.charge({ ...card, key: 'third', token: 'tok_test_chargeback' })
    await processor.charge({ ...debit, key: 'second', at: '2026-01-31T12:00:02.000Z' })
    await processor.charge({ ...debit, key: 'first', at })
    expect(await told(processor, years_later)).toEqual(['first:settled', 'second:settled', 'third:returned'])
  })

  it('are named by nextNotificationAt from the moment they are planned until they are reported', async () => {
    const processor = simulatedProcessor()
    expect(await processor.nextNotificationAt()).toBeNull()
    await processor.charge({ ...debit, key: 'charge' })
    expect(await processor.nextNotificationAt()).toBe(after_a_minute)
    // It has happened by now, but nobody was told yet.
    await processor.lookup({ key: 'charge', at: years_later })
    expect(await processor.nextNotificationAt()).toBe(after_a_minute)
    await processor.notifications({ after: null, at: years_later })
    expect(await processor.nextNotificationAt()).toBeNull()
  })

  it('stay told when the clock goes back', async () => {
    const processor = simulatedProcessor()
    await processor.charge({ ...debit, key: 'charge' })
    await processor.notifications({ after: null, at: after_a_minute })
    expect(await told(processor, at)).toEqual(['charge:settled'])
    expect(await processor.void({ key: 'charge', at })).toBe('too_late')
  })

  it('and cut-offs stay over when the clock goes back, also after a restart', async () => {
    const ledger = memoryLedger()
    const processor = simulatedProcessor({ ledger })
    await processor.charge({ ...debit, token: 'btok_test_never_settles', key: 'charge' })
    await processor.lookup({ key: 'other', at: after_a_minute })
    expect(await processor.void({ key: 'charge', at })).toBe('too_late')
    expect(await simulatedProcessor({ ledger }).void({ key: 'charge', at })).toBe('too_late')
  })

  it('come in pages of 1,000, and nextNotificationAt names what the page did not reach', async () => {
    const processor = simulatedProcessor()
    for (let n = 0; n < 1_500; n += 1) await processor.charge({ ...debit, key: `charge-${n}` })
    const first = await processor.notifications({ after: null, at: after_a_minute })
    expect(first.notifications).toHaveLength(1_000)
    expect(await processor.nextNotificationAt()).toBe(after_a_minute)
    const second = await processor.notifications({ after: first.cursor, at: after_a_minute })
    expect(second.notifications.map(({ id }) => id)[499]).toBe('charge-1499:settled')
    expect(await processor.nextNotificationAt()).toBeNull()
  })

  it('start from the beginning for a cursor of a ledger that was lost', async () => {
    const lost = simulatedProcessor()
    await lost.charge({ ...debit, key: 'old' })
    const { cursor } = await lost.notifications({ after: null, at: after_a_minute })
    const processor = simulatedProcessor()
    await processor.charge({ ...debit, key: 'new' })
    for (const after of [cursor, 'nonsense', '']) {
      const page = await processor.notifications({ after, at: after_a_minute })
      expect(page.notifications.map(({ id }) => id)).toEqual(['new:settled'])
    }
  })
})

describe('faults', () => {
  it('break a call before it has an effect, or after it', async () => {
    let fault: 'none' | 'throw_before' | 'throw_after' = 'throw_before'
    const processor = simulatedProcessor({ faults: ({ method }) => (method === 'charge' ? fault : 'none') })
    await expect(processor.charge({ ...card, key: 'charge' })).rejects.toThrow('before charge was sent')
    expect(processor.ledger.charges()).toEqual([])
    fault = 'throw_after'
    await expect(processor.charge({ ...card, key: 'charge' })).rejects.toThrow('before charge was answered')
    expect(await processor.lookup({ key: 'charge', at })).toMatchObject({ state: { kind: 'approved' } })
    fault = 'none'
    expect(await processor.charge({ ...card, key: 'charge' })).toEqual({ kind: 'approved' })
    expect(processor.ledger.totals().USD?.captured).toBe(100)
  })

  it('of the ledger charge nothing, and lose nothing that was planned', async () => {
    const memory = memoryLedger()
    let full = false
    const ledger: Ledger = {
      ...memory,
      append(entry) {
        if (full) throw new Error('The disk is full.')
        memory.append(entry)
      },
    }
    const processor = simulatedProcessor({ ledger })
    await processor.charge({ ...debit, key: 'charge' })
    full = true
    await expect(processor.charge({ ...card, key: 'other' })).rejects.toThrow('full')
    await expect(processor.notifications({ after: null, at: after_a_minute })).rejects.toThrow('full')
    full = false
    expect(processor.ledger.charge('other')).toBeNull()
    expect(await told(processor, after_a_minute)).toEqual(['charge:settled'])
  })
})

it('charges only the types it was made for', async () => {
  const processor = simulatedProcessor({ types: ['card'] })
  const verification = await processor.verify({ token: 'btok_test_success', type: 'us_bank_account', at })
  expect(verification).toEqual({ kind: 'unknown_token' })
  expect((await processor.charge({ ...debit, key: 'charge' })).kind).toBe('declined')
})

async function told(processor: SimulatedProcessor, at: string): Promise<string[]> {
  return (await processor.notifications({ after: null, at })).notifications.map(({ id }) => id)
}
