import type { ChargeState, Notification, RefundState } from '@quittance/core'
import { type DueQueue, dueQueue } from './due-queue.ts'
import type { ChangeEntry, ChargeEntry, Entry, Ledger, RefundEntry } from './ledger.ts'
import { type NotificationLog, notificationLog } from './notification-log.ts'
import type { ChargeRecord, Due, RefundRecord, Totals } from './records.ts'

/** The ledger's present state, made of its entries: every change is appended first and applied then. */
export interface Book {
  readonly charges: ReadonlyMap<string, ChargeRecord>
  readonly refunds: ReadonlyMap<string, RefundRecord>
  /** Keys that were looked up and not found. */
  readonly fences: ReadonlySet<string>
  readonly totals: ReadonlyMap<string, Totals>
  readonly log: NotificationLog
  /** Runs `run` knowing all that other processes have done, none of which does anything meanwhile. */
  turn<Value>(run: () => Value): Value
  /** Lets happen what is due by `at`. Time never goes back here: the latest `at` ever told counts. */
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
      for (
        let due = firstDue(state.queue);
        due !== null && due.due_ms <= now_ms;
        due = firstDue(state.queue)
      ) {
        const entry = changeOf(due)
        // It leaves the queue only once it is written down: a failed append is tried again by the next call.
        ledger.append(entry)
        state.queue.pop()
        apply(state, entry)
      }
      return now_ms
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
  const common = {
    entry: 'change',
    key: record.key,
    at: new Date(due_ms).toISOString(),
    notified: true,
  } as const
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
  if (entry.of === 'charge') {
    const record = known(state.charges, entry.key)
    changeCharge(state, record, entry.state)
    record.plan = rest(record.plan, entry.state.kind)
    record.history.push({ at: entry.at, state: entry.state })
    queueNext(state, record, Date.parse(entry.at))
  } else {
    const record = known(state.refunds, entry.key)
    changeRefund(state, record, entry.state)
    record.plan = rest(record.plan, entry.state.kind)
    record.history.push({ at: entry.at, state: entry.state })
    queueNext(state, record, Date.parse(entry.at))
  }
  if (entry.notified) state.log.add(notificationOf(entry), Date.parse(entry.at))
}

function changeCharge(state: State, record: ChargeRecord, next: ChargeState): void {
  record.state = next
  if (next.kind === 'approved' || next.kind === 'settled') capture(state, record)
  if (next.kind === 'returned' && record.captured) {
    totalsOf(state, record.currency).returned += record.amount - record.refunded
  }
}

function changeRefund(state: State, record: RefundRecord, next: RefundState): void {
  const charge = known(state.charges, record.charge_key)
  record.state = next
  if (next.kind === 'succeeded') giveBack(state, charge, record.amount)
  if (next.kind === 'refused') charge.promised -= record.amount
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

/** A step taken early keeps what follows it; anything else that happens ends the plan. */
function rest<Step extends { state: { kind: string } }>(
  plan: readonly Step[],
  kind: string,
): readonly Step[] {
  return plan[0]?.state.kind === kind ? plan.slice(1) : []
}

function queueNext(state: State, record: ChargeRecord | RefundRecord, from_ms: number): void {
  const step = record.plan[0]
  record.due = step === undefined ? null : { due_ms: from_ms + step.after_ms, record }
  if (record.due !== null) state.queue.push(record.due)
}

/** Each state is reached once at most, so that key and state make an id that is the same after a restart. */
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
