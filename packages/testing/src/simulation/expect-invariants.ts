import { iso } from '@quittance/core'
import { accepted } from '../builders/requests.ts'
import type { Sandbox } from '../builders/sandbox.ts'
import { checkInvariants } from '../invariants/check-invariants.ts'
import { type Rows, readRows } from '../invariants/rows.ts'
import { expectVerified } from './expect-verified.ts'

interface Circumstances {
  before?: Rows
  quiet?: boolean
  /** Time was set on the way, so that a request can have been asked in time and charged after. */
  clock_was_set?: boolean
}

/** Throws what does not hold right now where things are sold, and gives back the rows for the next step. */
export async function expectInvariants(
  sandbox: Sandbox,
  about: string,
  { before, quiet = false, clock_was_set = false }: Circumstances = {},
): Promise<Rows> {
  const { store, scope, processor, engine, caller } = sandbox
  const rows = await readRows(store, scope)
  const { data: shown_invoices } = accepted(await engine.invoices.list(caller, { limit: 100 }))
  const violations = checkInvariants({
    now: iso(engine.clock.now()),
    rows,
    charges: processor.ledger.charges(),
    refunded: processor.ledger.refunds(),
    shown_invoices,
    quiet,
    clock_was_set,
    ...(before ? { before } : {}),
  })
  if (violations.length === 0) return rows
  const list = violations.map(({ invariant, detail }) => `${invariant}: ${detail}`)
  throw new Error([`${about}:`, ...list].join('\n  '))
}

/** Past every step the sandbox takes by itself: a batch, a refund's hour, a page's day, a return, a chargeback. */
const waits_ms = [60_000, 1_740_000, 3_600_000, 86_400_000, 3 * 86_400_000, 3 * 86_400_000]

/** Lets a week pass, reconciling on the way, and expects every cent to be at rest. */
export async function expectQuiet(
  sandbox: Sandbox,
  about: string,
  { clock_was_set = false }: Pick<Circumstances, 'clock_was_set'> = {},
): Promise<Rows> {
  const { clock, engine } = sandbox
  for (const wait_ms of waits_ms) {
    clock.advance(wait_ms)
    await engine.reconcile()
  }
  await expectVerified(sandbox, about)
  return expectInvariants(sandbox, about, { quiet: true, clock_was_set })
}
