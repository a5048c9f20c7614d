import { expect } from 'vitest'
import { type Sandbox, withProcessor } from '../../../testing/src/builders/sandbox.ts'
import { type Death, mortalProcess } from '../../../testing/src/simulation/mortal-process.ts'
import type { PortCall } from '../../../testing/src/simulation/ports.ts'

export type Plan = (call: PortCall) => Death

/** Runs `work` in a process that dies as planned, and says how many calls it made to its ports. */
export async function dyingIn(
  sandbox: Sandbox,
  plan: Plan,
  work: (process: Sandbox) => PromiseLike<unknown>,
): Promise<number> {
  const mortal = mortalProcess(sandbox, plan)
  const dying = sandbox.another({ ...withProcessor(sandbox, mortal.processor), store: mortal.store })
  await Promise.race([work(dying), mortal.died])
  return mortal.calls()
}

/** Runs a history once for every call it makes to a port, killing the process there: before it, and after it. */
export async function everywhere(history: (plan: Plan, about: string) => Promise<number>): Promise<void> {
  const calls = await history(() => 'lives', 'nobody dies')
  expect(calls).toBeGreaterThan(0)
  for (let n = 1; n <= calls; n += 1) {
    for (const death of ['before', 'after'] as const)
      await history((call) => (call.n === n ? death : 'lives'), `dies ${death} call ${n}`)
  }
}
