import { iso } from '@quittance/core'
import { accepted } from '../builders/requests.ts'
import type { Sandbox } from '../builders/sandbox.ts'
import { checkInvariants } from './check-invariants.ts'
import { type Rows, readRows } from './rows.ts'

interface Circumstances {
  before?: Rows
  quiet?: boolean
  /** A clock was set on the way, so that a request can have been made in time and charged too late. */
  clock_was_set?: boolean
}

/** Throws what does not hold right now in the sandbox, and returns the rows for the next step. */
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
  expectNone(
    about,
    violations.map(({ invariant, detail }) => `${invariant}: ${detail}`),
  )
  return rows
}

/** Waits that pass every step of the sandbox: a batch, a refund's hour, a page's day, a return, a chargeback. */
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

/** `engine.verify` must find nothing wrong in a database whose history kept every invariant. */
async function expectVerified({ engine, scope }: Sandbox, about: string): Promise<void> {
  const { violations } = await engine.verify({ scope })
  // Most histories have no dispatcher: their deliveries stay pending.
  const broken = violations.filter(({ invariant, table }) => invariant !== 'M53' || table !== 'deliveries')
  expectNone(
    `${about}, by engine.verify()`,
    broken.map(({ invariant, table, id, says }) => `${invariant}: ${table} ${id} ${says}`),
  )
}

function expectNone(about: string, broken: readonly string[]): void {
  if (broken.length > 0) throw new Error([`${about}:`, ...broken].join('\n  '))
}
