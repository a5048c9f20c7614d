import { isDeepStrictEqual } from 'node:util'
import { helpersOf } from '../builders/sales.ts'
import { readRows } from '../invariants/rows.ts'
import { type Command, command, mustEqual, nowOf } from './command.ts'
import { advanced, reconciled } from './money.ts'

/** Lets time pass without reconciling: what falls due is found by the next call that looks. */
export function passTime(delta_ms: number): Command {
  return command(`pass(${delta_ms} ms)`, async (_model, { sandbox }) => sandbox.clock.advance(delta_ms))
}

/** Moves the sandbox's clock, which runs all that falls due on the way. */
export function advanceClock(seconds: number): Command {
  return command(`advance(${seconds} s)`, async (model, running) => {
    const { engine, caller } = running.sandbox
    const from_ms = nowOf(running)
    const moved = await helpersOf(engine).advanceClock(caller, { seconds })
    mustEqual('advance', moved.isOk(), true)
    advanced(model, from_ms, nowOf(running))
  })
}

/** Reconciles twice: the second time, nothing is left to change (M46). */
export function reconcile(): Command {
  return command('reconcile', async (model, running) => {
    const { engine, store, scope } = running.sandbox
    await engine.reconcile()
    reconciled(model, nowOf(running))
    const once = await readRows(store, scope)
    await engine.reconcile()
    if (!isDeepStrictEqual(once, await readRows(store, scope)))
      throw new Error('M46: reconciling again changed rows')
  })
}
