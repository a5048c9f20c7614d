import type { Processor, Store } from '@quittance/core'
import { aroundPorts, type PortCall } from './around.ts'

/** Where a process dies: before the call has an effect, or with the effect made and the answer lost. */
export type Death = 'lives' | 'before' | 'after'

/** The ports of a process that can be killed. Once dead nothing it does has an effect, and nothing answers it. */
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
  /** Resolves when the calls that were on their way at its death have come to their end, unheard. */
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
    // Someone else can have killed it while the call was on its way.
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
