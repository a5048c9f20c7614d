import { closeIfOver } from '../../checkout-sessions/close-checkout-session.ts'
import { option, refuseWrongOptions } from '../../kernel/refuse-wrong-options.ts'
import { expirePaymentMethodSession } from '../../payment-method-sessions/expire-payment-method-session.ts'
import { expirePaymentMethod } from '../../payment-methods/expire-payment-method.ts'
import { lookUpPayment } from '../../payments/look-up-payment.ts'
import type { DueRow, Scope } from '../../ports/store.ts'
import type { TableName } from '../../ports/tables.ts'
import { lookUpRefund } from '../../refunds/look-up-refund.ts'
import { iso, minute_ms, second_ms } from '../../schema/timestamps.ts'
import { stepSync } from '../../sync-runs/step-sync.ts'
import { judgeEndpoint } from '../../webhook-endpoints/judge-endpoint.ts'
import { healOrForgetKey } from '../idempotency/heal-key.ts'
import type { Services } from '../services.ts'
import { unitsOf, write } from '../unit-of-work/unit-of-work.ts'
import { type AlikeFailures, countAlike } from './alike-failures.ts'
import { applyNotifications } from './apply-notifications.ts'
import { retryHeld } from './held-notifications.ts'
import { notifyPaused } from './notify-paused.ts'

/**
 * What is done with a due row of each table. Each re-reads its row under the lock, so a repeat finds nothing to do.
 * `again`: there is more to do with the row, and it may be due again at once.
 */
const reconcileDue: {
  readonly [Name in TableName]?: (services: Services, scope: Scope, id: string) => Promise<unknown>
} = {
  held_notifications: retryHeld,
  payments: (services, scope, id) => lookUpPayment(unitsOf(services, scope), id),
  refunds: (services, scope, id) => lookUpRefund(unitsOf(services, scope), id),
  checkout_sessions: (services, scope, id) => write(services, scope, (unit) => closeIfOver(unit, id)),
  idempotency_keys: healOrForgetKey,
  payment_method_sessions: (services, scope, id) =>
    write(services, scope, (unit) => expirePaymentMethodSession(unit, id)),
  payment_methods: (services, scope, id) => write(services, scope, (unit) => expirePaymentMethod(unit, id)),
  webhook_endpoints: judge,
  sync_runs: readNextPage,
}

/** Rows reconciled at the same time. A hanging processor costs 20 s a row: ten rows then take 20 s, not 200 s. */
const rows_together = 10

/** Rows asked for at a time. */
const page_rows = 100

/** If a row takes longer than this, the rest of its kind waits for the next pass, and does not hold up the other kinds. */
const slow_ms = 10 * second_ms

/** A pass may copy a ledger for hours. Once it has gone on for this long, it tries again what failed or was slow, as the next would. */
const long_ms = minute_ms

/** Rows of a table in one environment: they wait for the same processor. */
const kindOf = ({ table, livemode }: DueRow) => `${table} ${livemode}`

export interface ReconcileOptions {
  /** Ends the pass after the rows, or the page of notifications, that it is at, and leaves the rest to the next one. */
  signal?: AbortSignal | undefined
}

/** What a pass remembers. */
interface Pass {
  failures: AlikeFailures
  /** Rows that it is done with: one that is still due at the same time (it failed, or nothing moved) waits for the next pass. */
  done: Set<string>
  /** Kinds of rows of which one took too long. */
  slow: Set<string>
}

/**
 * One pass over everything time-driven: first the processors' notifications, then every row that is due by now, earliest
 * first. Safe in many processes at once; a repeat changes nothing.
 */
export async function reconcile(services: Services, options: ReconcileOptions = {}): Promise<void> {
  refuseWrongOptions('reconcile', options, { signal: option.having('aborted') })
  const failures = countAlike(services.logger, {
    one: 'a due row could not be reconciled',
    more: 'more due rows could not be reconciled',
  })
  try {
    await reconcileAll(services, { failures, done: new Set(), slow: new Set() }, options)
  } finally {
    failures.end()
  }
}

async function reconcileAll(services: Services, pass: Pass, { signal }: ReconcileOptions): Promise<void> {
  const isFresh = (row: DueRow) => !pass.done.has(nameOf(row))
  let ask_again_ms = await askForNotifications(services, signal)
  let began_ms = services.clock.real()
  let after: DueRow | null = null
  // What falls due meanwhile waits for the next pass: under load a pass would not end, and would never try again what failed.
  let until = iso(services.clock.now())
  for (;;) {
    const rows = await services.store.due({ at: until, after, limit: page_rows })
    const fresh = rows.filter(isFresh)
    if (fresh.length === 0 && rows.length < page_rows) return
    // If all rows of a full page are stuck, others may be due behind them.
    if (fresh.length === 0) after = rows.at(-1) ?? null
    for (let next = 0; next < fresh.length; next += rows_together) {
      if (signal?.aborted) return
      const group = fresh.slice(next, next + rows_together)
      await Promise.all(group.map((row) => reconcileRow(services, pass, row)))
      if (signal?.aborted) return
      if (services.clock.real() > ask_again_ms) ask_again_ms = await askForNotifications(services, signal)
    }
    if (!fresh.some(isFresh)) continue
    // A sync run may go on for many pages, and what falls due meanwhile must not wait for its end.
    ask_again_ms = await askForNotifications(services, signal)
    until = iso(services.clock.now())
    // Either way, as the clock may be set back.
    if (Math.abs(services.clock.real() - began_ms) <= long_ms) continue
    began_ms = services.clock.real()
    pass.done.clear()
    pass.slow.clear()
    after = null
  }
}

/**
 * Asks for notifications, and returns the real time after which a long pass asks again: a second later, or as much later as
 * this took, so that a processor that hangs takes no more than half of the pass.
 */
async function askForNotifications(services: Services, signal?: AbortSignal): Promise<number> {
  const began_ms = services.clock.real()
  await applyNotifications(services, signal)
  const told_ms = services.clock.real()
  return told_ms + Math.max(second_ms, told_ms - began_ms)
}

function nameOf({ table, workspace, livemode, id, due_at }: DueRow): string {
  return [table, workspace, livemode, id, due_at].join(' ')
}

/** A row that cannot be reconciled now must not keep the others waiting. */
async function reconcileRow(services: Services, { failures, done, slow }: Pass, row: DueRow): Promise<void> {
  const { table, workspace, livemode, id } = row
  const began_ms = services.clock.real()
  let outcome: unknown
  try {
    if (!slow.has(kindOf(row))) outcome = await reconcileDue[table]?.(services, { workspace, livemode }, id)
  } catch (fault) {
    failures.add({ workspace, livemode, id }, fault, { table })
  }
  if (outcome !== 'again') done.add(nameOf(row))
  if (services.clock.real() - began_ms > slow_ms) slow.add(kindOf(row))
}

async function judge(services: Services, scope: Scope, id: string): Promise<'again' | 'done'> {
  const judged = await write(services, scope, async (unit) => {
    const was = await unit.tx.webhook_endpoints.lock(id)
    const due = was?.due_at != null && was.due_at <= unit.now
    return was && due ? { was, is: await judgeEndpoint(unit, was) } : null
  })
  if (judged === null) return 'done'
  const { was, is } = judged
  if (was.status !== is.status) notifyPaused(services, is)
  return is.status === 'disabled' && is.due_at !== null ? 'again' : 'done'
}

async function readNextPage(services: Services, scope: Scope, id: string): Promise<'again' | 'done'> {
  const run = await stepSync(services, unitsOf(services, scope), { id, held: false })
  return run?.status === 'running' ? 'again' : 'done'
}
