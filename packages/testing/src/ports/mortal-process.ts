import type { Processor, Store } from '@quittance/core'
import { aroundPorts, type PortCall } from './around.ts'

/** When a process dies: before the call has an effect, or after the effect, with the response lost. */
export type Death = 'lives' | 'before' | 'after'

/** The ports of a process that can be killed. Once it is dead, its calls have no effect and get no response. */
export interface MortalProcess {
  store: Store
  processor: Processor
  /** Resolves when it dies. */
  died: Promise<PortCall>
  isDead(): boolean
  /** How many calls it made while it lived. */
  calls(): number
  /** Kills it between two calls. */
  kill(): void
  /** Resolves when the calls that were under way at its death have ended, without a response. */
  quiet(): Promise<void>
}

export function mortalProcess(
  ports: { store: Store; processor: Processor },
  plan: (call: PortCall) => Death = () => 'lives',
): MortalProcess {
  const { promise: died, resolve: die } = Promise.withResolvers<PortCall>()
  let dead = false
  let calls = 0
  const running = new Set<PromiseLike<unknown>>()
  const killedAt = (call: PortCall) => {
    dead = true
    die(call)
    return never
  }
  const wrapped = aroundPorts(ports, async (call, run) => {
    if (dead) return await never
    calls = call.n
    const death = plan(call)
    if (death === 'before') return await killedAt(call)
    const answering = Promise.resolve(run()).finally(() => running.delete(answering))
    running.add(answering)
    const answer = await answering
    // Another call can have killed it while this one was under way.
    if (dead) return await never
    return death === 'after' ? await killedAt(call) : answer
  })
  return {
    ...wrapped,
    died,
    isDead: () => dead,
    calls: () => calls,
    kill() {
      killedAt({ n: calls, port: 'store', method: 'none' })
    },
    async quiet() {
      await Promise.allSettled(running)
    },
  }
}

const never = new Promise<never>(() => {})
