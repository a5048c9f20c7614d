import { type ChargeRequest, type Notification, type Processor, shifted } from '@quittance/core'
import { expect } from 'vitest'
import {
  all,
  at,
  type Books,
  bankDebit,
  type Check,
  cardCharge,
  charged,
  expectHeldOnce,
  expectNothingHeld,
  much_later,
  once,
  outcome,
  refundOf,
  toldOf,
} from './requests.ts'

export function describeVoid(check: Check, settles: string): void {
  check(
    'stops a charge before the batch cut-off, so that it never settles and cannot be refunded',
    async (processor, books) => {
      const request = bankDebit(settles)
      expect(await processor.charge(request)).toEqual({ kind: 'accepted' })
      for (let times = 0; times < 2; times += 1)
        expect(await processor.void({ key: request.key, at })).toBe('voided')
      await expectNotChargedAgain(processor, books, request)
      const told = await toldOf(processor, request)
      expect(told.filter(({ state }) => state.kind !== 'voided')).toEqual([])
      const found = await processor.lookup({ key: request.key, at: much_later })
      expect(found).toEqual({ kind: 'charge', state: { kind: 'voided' } })
      expect((await processor.refund({ ...refundOf(request, 1), at: much_later })).kind).toBe('refused')
    },
  )
  check('answers `voided` for an unknown charge only if it then declines it', async (processor) => {
    const absent = bankDebit(settles)
    const answer = await processor.void({ key: absent.key, at })
    const late = await outcome(processor.charge(absent))
    expect(late).toBe(answer === 'voided' ? 'declined' : 'accepted')
  })
  check('answers `too_late` once the batch has the charge', async (processor) => {
    const request = await charged(processor, bankDebit(settles))
    const early = await processor.lookup({ key: request.key, at })
    if (early.kind !== 'unknown') expect(early).toMatchObject({ state: { kind: 'accepted' } })
    expect(await processor.void({ key: request.key, at: much_later })).toBe('too_late')
    const found = await processor.lookup({ key: request.key, at: much_later })
    expect(found).toEqual({ kind: 'charge', state: { kind: 'settled' } })
  })
}

export function describeNotifications(check: Check, settles: string): void {
  check('tells of a settlement once its batch has run, and not before', async (processor) => {
    const request = await charged(processor, bankDebit(settles))
    const early = await all(processor, at)
    expect(early.filter(({ key }) => key === request.key)).toEqual([])
    const told = await toldOf(processor, request)
    expect(told.map(({ of, state }) => [of, state.kind])).toEqual([['charge', 'settled']])
  })
  check('tells the same again, under the same ids, when read from the beginning', async (processor) => {
    const keys: string[] = []
    // One more than a page of most APIs holds, all at one moment.
    while (keys.length < 101) keys.push((await charged(processor, bankDebit(settles))).key)
    const first = await all(processor, much_later)
    expect(first.map(({ key }) => key)).toEqual(expect.arrayContaining(keys))
    const again = await all(processor, much_later)
    expect(again.slice(0, first.length)).toEqual(first)
  })
  check('tells all that is new since a cursor, oldest first', async (processor) => {
    const days = ['2026-03-02', '2026-03-09', '2026-03-16', '2026-03-23'].map((day) => `${day}T12:00:00.000Z`)
    const keys: string[] = []
    const told: Notification[] = []
    const ours = (all: Notification[]) => all.map(({ key }) => key).filter((key) => keys.includes(key))
    let cursor: string | null = null
    for (const at of days) {
      const page = await processor.notifications({ after: cursor, at })
      told.push(...page.notifications)
      cursor = page.cursor
      keys.push((await charged(processor, { ...bankDebit(settles), at })).key)
    }
    expect(ours(once(told))).toEqual(keys.slice(0, -1))
    expect(ours(await all(processor, '2026-03-30T12:00:00.000Z'))).toEqual(keys)
  })
  check('tells the same again since a cursor that it was asked with before', async (processor) => {
    await charged(processor, bankDebit(settles))
    const { cursor } = await processor.notifications({ after: null, at: '2026-03-09T12:00:00.000Z' })
    await charged(processor, { ...bankDebit(settles), at: '2026-03-09T12:00:00.000Z' })
    const since = () => processor.notifications({ after: cursor, at: '2026-03-16T12:00:00.000Z' })
    const { notifications: told } = await since()
    expect(told).not.toEqual([])
    // Whoever asked first may have died before it wrote down what it was told.
    expect((await since()).notifications).toEqual(expect.arrayContaining(told))
  })
  check('leaves the cursor as it is when there is nothing to tell', async (processor) => {
    expect(await processor.notifications({ after: null, at })).toEqual({ notifications: [], cursor: null })
    await processor.charge(bankDebit(settles))
    const page = await processor.notifications({ after: null, at: much_later })
    const next = await processor.notifications({ after: page.cursor, at: much_later })
    expect(next).toEqual({ notifications: [], cursor: page.cursor })
  })
  check('says when its next notification is due, if it knows', async (processor) => {
    const request = await charged(processor, bankDebit(settles))
    const next = await processor.nextNotificationAt()
    if (next === null) return
    const before = await all(processor, shifted(next, -1))
    expect(before.map(({ key }) => key)).not.toContain(request.key)
    const told = await all(processor, next)
    expect(told.map(({ key }) => key)).toContain(request.key)
    expect(await processor.nextNotificationAt()).not.toBe(next)
  })
}

export function describeReturns(check: Check, returns: string): void {
  check('tells of a returned debit with one code, and refuses to refund it', async (processor, books) => {
    const request = await charged(processor, bankDebit(returns))
    const told = await toldOf(processor, request)
    await expectNotChargedAgain(processor, books, { ...request, at: much_later })
    const state = { kind: 'returned', return_code: expect.any(String), message: expect.any(String) }
    expect(told.at(-1)).toMatchObject({ of: 'charge', state })
    const found = await processor.lookup({ key: request.key, at: much_later })
    expect(found).toMatchObject({ kind: 'charge', state })
    const states = [...told.map(({ state }) => state), ...(found.kind === 'charge' ? [found.state] : [])]
    const codes = states.flatMap((one) => (one.kind === 'returned' ? [one.return_code] : []))
    expect(new Set(codes).size, `one code for one return, of ${codes}`).toBe(1)
    expect((await processor.refund({ ...refundOf(request, 1), at: much_later })).kind).toBe('refused')
  })
}

export function describeLateReturns(check: Check, returns_late: string): void {
  check(
    'tells of a return after the settlement, and refuses refunds from then on',
    async (processor, books) => {
      const request = await charged(processor, bankDebit(returns_late))
      const told = await toldOf(processor, request)
      expect([told[0], told.at(-1)].map((one) => one?.state.kind)).toEqual(['settled', 'returned'])
      await expectNoRefund(processor, books, request)
    },
  )
}

export function describeChargebacks(check: Check, charged_back: string): void {
  check(
    'tells of a chargeback as a return with the code `chargeback`, and refuses refunds from then on',
    async (processor, books) => {
      const request = cardCharge(charged_back)
      expect(await processor.charge(request)).toEqual({ kind: 'approved' })
      const told = await toldOf(processor, request)
      const state = { kind: 'returned', return_code: 'chargeback', message: expect.any(String) }
      expect(told).toContainEqual(expect.objectContaining({ of: 'charge', state }))
      await expectNoRefund(processor, books, request)
    },
  )
}

/** A request that was sent twice may arrive again when the charge is over. */
async function expectNotChargedAgain(
  processor: Processor,
  books: Books,
  again: ChargeRequest,
): Promise<void> {
  await outcome(processor.charge(again))
  expectHeldOnce(books, again)
}

async function expectNoRefund(processor: Processor, books: Books, charge: ChargeRequest): Promise<void> {
  const refund = { ...refundOf(charge, 1), at: much_later }
  expect((await processor.refund(refund)).kind, 'a refund of what came back').toBe('refused')
  expectNothingHeld(books, refund)
}
