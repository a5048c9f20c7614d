import { iso } from '@quittance/core'
import type { Sandbox } from '../builders/sandbox.ts'
import { checkInvariants } from '../invariants/check-invariants.ts'
import { type Rows, readRows } from '../invariants/rows.ts'
import { expectVerified } from './expect-verified.ts'

/** Throws what does not hold right now, and gives back the rows for the next step. `about` tells how to repeat it. */
export async function expectInvariants(
  sandbox: Sandbox,
  about: string,
  { before, quiet = false }: { before?: Rows; quiet?: boolean } = {},
): Promise<Rows> {
  const { store, scope, processor, live_processor, engine } = sandbox
  const rows = await readRows(store, scope)
  const charges = (scope.livemode ? live_processor : processor).ledger.charges()
  const now = iso(engine.clock.now())
  const violations = checkInvariants({ now, rows, charges, quiet, ...(before ? { before } : {}) })
  if (violations.length === 0) return rows
  const list = violations.map(({ invariant, detail }) => `${invariant}: ${detail}`)
  throw new Error([`${about}:`, ...list].join('\n  '))
}

/** Lets seven virtual days pass, reconciling on the way, and expects everything to be at rest. */
export async function expectQuiet(sandbox: Sandbox, about: string): Promise<Rows> {
  const { clock, engine } = sandbox
  for (let hour = 0; hour < 7 * 24; hour += 1) {
    clock.advance(3_600_000)
    await engine.reconcile()
  }
  await expectVerified(sandbox, about)
  return expectInvariants(sandbox, about, { quiet: true })
}
