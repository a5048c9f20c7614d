import { iso, type Notification } from '@quittance/core'
import { type DueQueue, dueQueue } from './due-queue.ts'
import type { ChangeEntry, ChargeEntry, Entry, Ledger, RefundEntry, Step } from './ledger.ts'
import { type NotificationLog, notificationLog } from './notification-log.ts'
import type { ChargeRecord, Due, RefundRecord, Totals } from './records.ts'

/** The ledger's present state, made from its entries: every change is first appended, then applied. */
export interface Book {
  readonly charges: ReadonlyMap<string, ChargeRecord>
  readonly refunds: ReadonlyMap<string, RefundRecord>
  /** Keys that were looked up and not found. */
  readonly fences: ReadonlySet<string>
  readonly totals: ReadonlyMap<string, Totals>
  readonly log: NotificationLog
  /** Runs `run` on all that other processes have appended; none of them appends meanwhile. */
  turn<Value>(run: () => Value): Value
  /** Makes happen what is due by `at`, and returns the present time: the latest `at` ever given, as it never goes back. */
  advance(at: string): number
  post(entry: Entry): void
  /** The time of the earliest step that has not happened yet. */
  nextDue(): number | null
}

export function openBook(ledger: Ledger): Book {
  const state: State = {
    charges: new Map(),
    refunds: new Map(),
    fences: new Set(),
    totals: new Map(),
    log: notificationLog(),
    queue: dueQueue(),
  }
  let now_ms = Number.NEGATIVE_INFINITY
  const take = (entries: readonly Entry[]) => {
    for (const entry of entries) {
      now_ms = Math.max(now_ms, Date.parse(entry.at))
      apply(state, entry)
    }
  }
  take(ledger.load())
  return {
    ...state,
    turn(run) {
      if (ledger.turn === undefined) return run()
      return ledger.turn((appended) => {
        take(appended)
        return run()
      })
    },
    advance(at) {
      const at_ms = Date.parse(at)
      if (Number.isNaN(at_ms)) throw new RangeError(`at is no ISO 8601 time: ${at}`)
      now_ms = Math.max(now_ms, at_ms)
      for (;;) {
        const due = firstDue(state.queue)
        if (due === null || due.due_ms > now_ms) return now_ms
        const entry = changeOf(due)
        // It leaves the queue only once it is written: a failed append is retried by the next call.
        ledger.append(entry)
        state.queue.pop()
        apply(state, entry)
      }
    },
    post(entry) {
      ledger.append(entry)
      apply(state, entry)
    },
    nextDue: () => firstDue(state.queue)?.due_ms ?? null,
  }
}

interface State {
  charges: Map<string, ChargeRecord>
  refunds: Map<string, RefundRecord>
  fences: Set<string>
  totals: Map<string, Totals>
  log: NotificationLog
  queue: DueQueue<Due>
}

function firstDue(queue: DueQueue<Due>): Due | null {
  for (let due = queue.peek(); due !== undefined; due = queue.peek()) {
    if (due.record.due === due) return due
    queue.pop()
  }
  return null
}

function changeOf({ due_ms, record }: Due): ChangeEntry {
  const common = { entry: 'change', key: record.key, at: iso(due_ms), notified: true } as const
  if (record.of === 'charge') return { ...common, of: 'charge', state: stepOf(record.plan) }
  return { ...common, of: 'refund', state: stepOf(record.plan) }
}

function stepOf<Kind>(plan: readonly { state: Kind }[]): Kind {
  const step = plan[0]
  if (step === undefined) throw new Error('A queued charge or refund has no step left.')
  return step.state
}

function apply(state: State, entry: Entry): void {
  if (entry.entry === 'fence') state.fences.add(entry.key)
  else if (entry.entry === 'charge') applyCharge(state, entry)
  else if (entry.entry === 'refund') applyRefund(state, entry)
  else applyChange(state, entry)
}

function applyCharge(state: State, { entry: _, cut_off_at, state: first, ...entry }: ChargeEntry): void {
  const record: ChargeRecord = {
    ...entry,
    of: 'charge',
    state: first,
    history: [{ at: entry.at, state: first }],
    cut_off_ms: cut_off_at === null ? null : Date.parse(cut_off_at),
    captured: false,
    refunded: 0,
    promised: 0,
    due: null,
  }
  state.charges.set(entry.key, record)
  if (first.kind === 'approved') capture(state, record)
  queueNext(state, record, Date.parse(entry.at))
}

function applyRefund(state: State, { entry: _, state: first, ...entry }: RefundEntry): void {
  const charge = state.charges.get(entry.charge_key)
  const record: RefundRecord = {
    ...entry,
    of: 'refund',
    token: charge?.token ?? '',
    state: first,
    history: [{ at: entry.at, state: first }],
    due: null,
  }
  state.refunds.set(entry.key, record)
  if (charge !== undefined && first.kind !== 'refused') charge.promised += entry.amount
  if (charge !== undefined && first.kind === 'succeeded') giveBack(state, charge, entry.amount)
  queueNext(state, record, Date.parse(entry.at))
}

function applyChange(state: State, entry: ChangeEntry): void {
  const at_ms = Date.parse(entry.at)
  const record = entry.of === 'charge' ? changeCharge(state, entry) : changeRefund(state, entry)
  queueNext(state, record, at_ms)
  if (entry.notified) state.log.add(notificationOf(entry), at_ms)
}

function changeCharge(state: State, change: ChangeEntry & { of: 'charge' }): ChargeRecord {
  const record = known(state.charges, change.key)
  const { kind } = change.state
  if (kind === 'approved' || kind === 'settled') capture(state, record)
  if (kind === 'returned' && record.captured) {
    totalsOf(state, record.currency).returned += record.amount - record.refunded
  }
  enter(record, change)
  return record
}

function changeRefund(state: State, change: ChangeEntry & { of: 'refund' }): RefundRecord {
  const record = known(state.refunds, change.key)
  const charge = known(state.charges, record.charge_key)
  if (change.state.kind === 'succeeded') giveBack(state, charge, record.amount)
  if (change.state.kind === 'refused') charge.promised -= record.amount
  enter(record, change)
  return record
}

/** A step taken early keeps what follows it; anything else that happens ends the plan. */
function enter<Kind extends { kind: string }>(
  record: { state: Kind; plan: readonly Step<Kind>[]; history: { at: string; state: Kind }[] },
  { at, state }: { at: string; state: Kind },
): void {
  record.state = state
  record.plan = record.plan[0]?.state.kind === state.kind ? record.plan.slice(1) : []
  record.history.push({ at, state })
}

function capture(state: State, record: ChargeRecord): void {
  if (record.captured) return
  record.captured = true
  totalsOf(state, record.currency).captured += record.amount
}

function giveBack(state: State, charge: ChargeRecord, amount: number): void {
  const totals = totalsOf(state, charge.currency)
  charge.refunded += amount
  totals.refunded += amount
  if (charge.state.kind === 'returned') totals.returned -= amount
}

function queueNext(state: State, record: ChargeRecord | RefundRecord, from_ms: number): void {
  const step = record.plan[0]
  record.due = step === undefined ? null : { due_ms: from_ms + step.after_ms, record }
  if (record.due !== null) state.queue.push(record.due)
}

/** Each state is reached at most once, so key and state make an id that is the same after a restart. */
function notificationOf(entry: ChangeEntry): Notification {
  const id = `${entry.key}:${entry.state.kind}`
  if (entry.of === 'charge') return { id, of: 'charge', key: entry.key, state: entry.state }
  return { id, of: 'refund', key: entry.key, state: entry.state }
}

function totalsOf(state: State, currency: string): Totals {
  const totals = state.totals.get(currency) ?? { captured: 0, refunded: 0, returned: 0 }
  state.totals.set(currency, totals)
  return totals
}

function known<Kind>(records: ReadonlyMap<string, Kind>, key: string): Kind {
  const record = records.get(key)
  if (record === undefined) throw new Error(`The ledger changes ${key}, which it does not hold.`)
  return record
}
