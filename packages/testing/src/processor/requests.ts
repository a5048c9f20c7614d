import { randomUUID } from 'node:crypto'
import type { ChargeRequest, Lookup, Notification, Processor, RefundRequest } from '@quittance/core'
import { expect } from 'vitest'
import { isCaptured, total } from '../invariants/moment.ts'
import type { ProcessorLedger } from './ledger.ts'

/** The processor's own books, if it shows them. */
export type Books = ProcessorLedger | undefined

/** Declares one test of the suite on a freshly opened processor. */
export type Check = (sentence: string, run: (processor: Processor, books: Books) => Promise<void>) => void

/** A Monday, and a time by which every batch, return and pending refund of that day has completed. */
export const at = '2026-03-02T12:00:00.000Z'
export const much_later = '2026-03-20T12:00:00.000Z'

/** A key in the engine's own form: long, with the same beginning as all others of the workspace. */
export function freshKey(kind: 'pay' | 're'): string {
  return asking(`${workspace}.${kind}_test_${randomUUID().replaceAll('-', '').slice(0, 24)}`)
}

/** Another key, which differs only in its last letter. */
export function similarKey(key: string, end: string): string {
  return asking(key.slice(0, -1) + end)
}

/** Every key used in this run, by any of its tests. */
const asked = new Set<string>()

function asking(key: string): string {
  asked.add(key)
  return key
}

const workspace = randomUUID()

export function cardCharge(token: string): ChargeRequest {
  return { key: freshKey('pay'), token, type: 'card', amount: 100, currency: 'USD', at }
}

export function bankDebit(token: string): ChargeRequest {
  return { ...cardCharge(token), type: 'us_bank_account' }
}

export function refundOf(charge: ChargeRequest, amount: number): RefundRequest {
  return { key: freshKey('re'), charge_key: charge.key, amount, currency: charge.currency, at: charge.at }
}

/** The request of a charge, once it is made. */
export async function charged(processor: Processor, request: ChargeRequest): Promise<ChargeRequest> {
  await processor.charge(request)
  return request
}

/** A throw is an outcome like another: it means that nobody knows. */
export async function outcome(answer: PromiseLike<{ kind: string }>): Promise<string> {
  try {
    return (await answer).kind
  } catch {
    return 'threw'
  }
}

/** The results of concurrent calls. A call without an answer, as after a throw, is repeated once all have ended. */
export async function atOnce<Answer extends { kind: string }>(
  asks: readonly (() => PromiseLike<Answer>)[],
): Promise<Answer[]> {
  const first = await Promise.allSettled(asks.map(async (ask) => ask()))
  const answers: Answer[] = []
  for (const [index, ask] of asks.entries()) {
    const one = first[index]
    const is_told = one?.status === 'fulfilled' && one.value.kind !== 'unanswered'
    answers.push(is_told ? one.value : await ask())
  }
  return answers
}

/** The result of a look-up. If it lags behind, it says `unknown`, and is repeated when all of that day has completed. */
export async function found(processor: Processor, { key }: { key: string }): Promise<Lookup> {
  const now = await processor.lookup({ key, at })
  return now.kind === 'unknown' ? processor.lookup({ key, at: much_later }) : now
}

/** The look-up of an unused key: either that it will never be used, or `unknown` if the processor cannot promise that. */
export async function foundNothing(processor: Processor, request: { key: string }): Promise<Lookup['kind']> {
  const { kind } = await found(processor, request)
  expect(['not_found', 'unknown'], `what is said of the key ${request.key}, which is new`).toContain(kind)
  return kind
}

/** That a charge is held once, and how much of it, to the cent. Without books refunds find it out: no more can be refunded. */
export async function expectCaptured(
  processor: Processor,
  books: Books,
  { charge, amount }: { charge: ChargeRequest; amount: number },
): Promise<void> {
  expectHeldOnce(books, charge)
  const probe = async (asked: number) => {
    const refund = refundOf(charge, asked)
    const { kind } = await processor.refund(refund)
    if (kind === 'refused') return 'refused'
    expectHeldOnce(books, refund)
    return 'not refused'
  }
  const left = `left of ${charge.amount} ${charge.currency} under the key ${charge.key}`
  if (books !== undefined) expect(leftIn(books, charge), `what the ledger has ${left}`).toBe(amount)
  const more = `a refund, to try it, of one cent more than the ${amount} ${left}${why_accepted}`
  if (books === undefined) expect(await probe(amount + 1), more).toBe('refused')
  expect(await probe(amount), `a refund, to try it, of the ${amount} ${left}`).toBe('not refused')
  const nothing = `a refund, to try it, of 1 cent where nothing is ${left}${why_accepted}`
  if (books === undefined) expect(await probe(1), nothing).toBe('refused')
}

/** That a declined charge holds nothing. */
export async function expectNothingCaptured(
  processor: Processor,
  books: Books,
  charge: ChargeRequest,
): Promise<void> {
  if (books !== undefined) return expectNothingHeld(books, charge)
  const { kind } = await processor.refund(refundOf(charge, 1))
  const nothing = `a refund, to try it, of 1 cent of a declined charge, under the key ${charge.key}`
  expect(kind, `${nothing}${why_accepted}`).toBe('refused')
}

const why_accepted = ': more is held, or the processor gives back more than was captured'

function leftIn(books: ProcessorLedger, { key }: ChargeRequest): number {
  const captured = books.charges().filter((one) => one.key === key && isCaptured(one))
  const refunds = books.refunds().filter((one) => one.charge_key === key && one.state.kind !== 'refused')
  return total(captured) - total(refunds)
}

/** Answers can be the same while money moves twice: only the books show it. */
export function expectHeldOnce(books: Books, { key, amount, currency }: ChargeRequest | RefundRequest): void {
  if (books === undefined) return
  const all = [...books.charges(), ...books.refunds()]
  const held = all.filter((one) => one.key === key)
  expect(held.map(sumOf), `what the ledger holds under the key ${key}`).toEqual([{ key, amount, currency }])
  // Others may use the processor at the same time, but not with this run's workspace.
  const ours = all.filter((one) => one.key.startsWith(workspace))
  const unasked = ours.filter((one) => !asked.has(one.key))
  expect(unasked, 'what the ledger holds under keys that nobody asked with').toEqual([])
}

/** Whatever a ledger has of a refused request, no money moved. */
export function expectNothingHeld(books: Books, { key }: ChargeRequest | RefundRequest): void {
  if (books === undefined) return
  const charges = books.charges().filter(isCaptured)
  const refunds = books.refunds().filter(({ state }) => state.kind !== 'refused')
  const moved = [...charges, ...refunds].filter((one) => one.key === key)
  expect(moved.map(sumOf), `what moved under the key ${key}, under which nothing may`).toEqual([])
}

function sumOf({ key, amount, currency }: { key: string; amount: number; currency: string }) {
  return { key, amount, currency }
}

/** Each notification once. Those that come again must be the same under the same id. */
export function once(told: readonly Notification[]): Notification[] {
  const byId = new Map<string, Notification>()
  for (const one of told) {
    const first = byId.get(one.id) ?? one
    expect(one, `what is told again under the id ${one.id}`).toEqual(first)
    byId.set(one.id, first)
  }
  return [...byId.values()]
}

/** All notifications up to a time, page after page. */
export async function all(processor: Processor, at: string): Promise<Notification[]> {
  const told: Notification[] = []
  let cursor: string | null = null
  for (let pages = 0; pages < most_pages; pages += 1) {
    const page = await processor.notifications({ after: cursor, at })
    told.push(...page.notifications)
    if (page.cursor === cursor) return once(told)
    cursor = page.cursor
  }
  throw endless()
}

/** A processor whose pages never end fails a test, instead of never letting it end. */
const most_pages = 10_000
const endless = () => new Error('the pages of notifications do not end')

/** The notifications of one charge or refund, requested step by step at the times that the processor names on the way. */
export async function toldOf(processor: Processor, { key }: { key: string }): Promise<Notification[]> {
  const told: Notification[] = []
  let cursor: string | null = null
  let at: string = (await processor.nextNotificationAt()) ?? much_later
  for (let pages = 0; pages < most_pages; pages += 1) {
    const page = await processor.notifications({ after: cursor, at })
    told.push(...page.notifications)
    if (page.cursor === cursor && at >= much_later) return once(told).filter((one) => one.key === key)
    cursor = page.cursor
    const next = await processor.nextNotificationAt()
    at = next !== null && next > at && next < much_later ? next : much_later
  }
  throw endless()
}
