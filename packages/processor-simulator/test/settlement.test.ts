import { describe, expect, it } from 'vitest'
import { batches, type Settlement } from '../src/settlement.ts'
import { simulatedProcessor } from '../src/simulated-processor.ts'

const banking: Settlement = { calendar: 'banking', cutOff: '21:00' }

describe('the banking calendar', () => {
  it.each([
    [
      'before the cut-off, settles on the next business day',
      '2026-03-03T12:00',
      '2026-03-03T21:00',
      '2026-03-04T21:00',
    ],
    ['at the very cut-off, misses the batch', '2026-03-03T21:00', '2026-03-04T21:00', '2026-03-05T21:00'],
    ['on Friday, settles on Monday', '2026-03-06T12:00', '2026-03-06T21:00', '2026-03-09T21:00'],
    [
      'on Saturday, goes into the batch of Monday',
      '2026-03-07T12:00',
      '2026-03-09T21:00',
      '2026-03-10T21:00',
    ],
    [
      'on Friday night, goes into the batch of Monday',
      '2026-03-06T23:00',
      '2026-03-09T21:00',
      '2026-03-10T21:00',
    ],
    [
      'before Thanksgiving, settles on the Friday',
      '2026-11-25T12:00',
      '2026-11-25T21:00',
      '2026-11-27T21:00',
    ],
    [
      'before Memorial Day, settles on the Tuesday',
      '2026-05-22T12:00',
      '2026-05-22T21:00',
      '2026-05-26T21:00',
    ],
    [
      'before a holiday on Sunday, skips the Monday',
      '2027-07-02T12:00',
      '2027-07-02T21:00',
      '2027-07-06T21:00',
    ],
    [
      'before a holiday on Saturday, keeps the Friday',
      '2026-07-02T12:00',
      '2026-07-02T21:00',
      '2026-07-03T21:00',
    ],
    [
      'on a Friday in May, settles on a Monday that is not the last',
      '2027-05-21T12:00',
      '2027-05-21T21:00',
      '2027-05-24T21:00',
    ],
    [
      'on New Year, goes into the batch of 2 January',
      '2026-01-01T12:00',
      '2026-01-02T21:00',
      '2026-01-05T21:00',
    ],
  ])('a charge %s', (_, at, cut_off, settles) => {
    const batch = batches(banking)(Date.parse(`${at}:00.000Z`))
    expect(minute(batch.cut_off_ms)).toBe(cut_off)
    expect(minute(batch.settles_ms)).toBe(settles)
  })

  it('keeps every US federal bank holiday of 2026', () => {
    const closed = ['01-01', '01-19', '02-16', '05-25', '06-19', '09-07', '10-12', '11-11', '11-26', '12-25']
    const found: string[] = []
    for (let day = Date.parse('2026-01-01'); day < Date.parse('2027-01-01'); day += 86_400_000) {
      const date = new Date(day)
      const weekday = date.getUTCDay() % 6 !== 0
      if (weekday && batches(banking)(day).cut_off_ms > day + 86_400_000)
        found.push(date.toISOString().slice(5, 10))
    }
    expect(found).toEqual(closed)
  })

  it('skips the holidays it is given', () => {
    const batch = batches({ ...banking, holidays: ['2026-03-04'] })(Date.parse('2026-03-03T12:00:00.000Z'))
    expect(minute(batch.settles_ms)).toBe('2026-03-05T21:00')
  })

  it.each(['24:00', '9:00', '21:60', ''])('refuses the cut-off %j', (cut_off) => {
    expect(() => simulatedProcessor({ settlement: { calendar: 'banking', cutOff: cut_off } })).toThrow(
      RangeError,
    )
  })
})

describe('void', () => {
  const request = {
    key: 'charge',
    token: 'btok_test_success',
    type: 'us_bank_account',
    amount: 100,
    currency: 'USD',
  } as const

  it('is possible until the cut-off, and too late from it on, even before anything has settled', async () => {
    const processor = simulatedProcessor({ settlement: banking })
    await processor.charge({ ...request, at: '2026-03-03T12:00:00.000Z' })
    await processor.charge({ ...request, key: 'other', at: '2026-03-03T12:00:00.000Z' })
    expect(await processor.void({ key: 'charge', at: '2026-03-03T20:59:59.999Z' })).toBe('voided')
    expect(await processor.void({ key: 'other', at: '2026-03-03T21:00:00.000Z' })).toBe('too_late')
    expect(processor.ledger.charge('other')?.state).toEqual({ kind: 'accepted' })
    const { notifications } = await processor.notifications({ after: null, at: '2026-03-04T21:00:00.000Z' })
    expect(notifications.map(({ id }) => id)).toEqual(['other:settled'])
  })

  it('answers the same when asked again, and moves no money', async () => {
    const processor = simulatedProcessor()
    await processor.charge({ ...request, at: '2026-03-03T12:00:00.000Z' })
    expect(await processor.void({ key: 'charge', at: '2026-03-03T12:00:01.000Z' })).toBe('voided')
    expect(await processor.void({ key: 'charge', at: '2026-03-04T12:00:00.000Z' })).toBe('voided')
    expect(processor.ledger.totals()).toEqual({})
    expect(await processor.nextNotificationAt()).toBeNull()
  })

  it('is too late for a card, and for a charge that never arrived', async () => {
    const processor = simulatedProcessor()
    const at = '2026-03-03T12:00:00.000Z'
    await processor.charge({ ...request, token: 'tok_test_visa', type: 'card', at })
    expect(await processor.void({ key: 'charge', at })).toBe('too_late')
    expect(await processor.void({ key: 'never', at })).toBe('too_late')
  })
})

function minute(at_ms: number): string {
  return new Date(at_ms).toISOString().slice(0, 16)
}
