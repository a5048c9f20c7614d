import { expect } from 'vitest'
import { type Sandbox, withProcessor } from '../../../testing/src/builders/sandbox.ts'
import type { PortCall } from '../../../testing/src/ports/around.ts'
import { type Death, type MortalProcess, mortalProcess } from '../../../testing/src/ports/mortal-process.ts'
import { closingStores } from '../stores/tested-store.ts'

export type Plan = (call: PortCall) => Death

/** A process of its own on the sandbox's store and processor, which dies as planned. */
export function dyingProcess(sandbox: Sandbox, plan: Plan): Sandbox & { mortal: MortalProcess } {
  const mortal = mortalProcess(sandbox, plan)
  const ports = { ...withProcessor(sandbox, mortal.processor), store: mortal.store }
  return { ...sandbox.another(ports), mortal }
}

/** Runs `work` in a process that dies as planned, and says how many calls it made to its ports. */
export async function dyingIn(
  sandbox: Sandbox,
  plan: Plan,
  work: (process: Sandbox) => PromiseLike<unknown>,
): Promise<number> {
  const dying = dyingProcess(sandbox, plan)
  await Promise.race([work(dying), dying.mortal.died])
  await dying.mortal.quiet()
  return dying.mortal.calls()
}

/**
 * Runs a history once for every call it makes to a port, killing the process there: before it, and after it. Answers
 * how many calls that were.
 */
export async function everywhere(history: (plan: Plan, about: string) => Promise<number>): Promise<number> {
  const run = (plan: Plan, about: string) => closingStores(() => history(plan, about))
  const calls = await run(() => 'lives', 'nobody dies')
  expect(calls).toBeGreaterThan(0)
  for (let n = 1; n <= calls; n += 1) {
    for (const death of ['before', 'after'] as const)
      await run((call) => (call.n === n ? death : 'lives'), `dies ${death} call ${n}`)
  }
  return calls
}
