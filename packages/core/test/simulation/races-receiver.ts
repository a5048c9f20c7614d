import { setImmediate } from 'node:timers/promises'
import { type OpenQueue, type Sender, startDispatcher, storeQueue } from '../../../webhooks/src/index.ts'
import type { RaceRound } from './race.ts'

export interface Receiving {
  /** What came in, in the order in which it did. */
  received: { event: string | undefined; body: string }[]
  /** Resolves once both dispatchers have sent all that is due. */
  drain(): Promise<void>
  stop(): Promise<void>
}

/** The store's, of which all has to be claimed. */
const claims_only: OpenQueue = (engine) => ({ ...storeQueue(engine), giveFiled: () => () => {} })

/** A dispatcher in each process, and one receiver that answers each request a seeded while late. */
export function dispatchingBoth({ first, second, random, late }: RaceRound, answer: () => number): Receiving {
  const received: Receiving['received'] = []
  const sender: Sender = {
    async send({ headers, body }) {
      received.push({ event: headers['Service-Event-Id'], body: String(body) })
      for (let tick = random.below(4); tick > 0; tick -= 1) await setImmediate()
      await late()
      const response_status = answer()
      return { response_status, error: response_status < 300 ? null : `http ${response_status}` }
    },
    async close() {},
  }
  const dispatchers = [first, second].map(({ engine }) =>
    startDispatcher(engine, { sender, queue: random.pick([storeQueue, claims_only]) }),
  )
  return {
    received,
    async drain() {
      await Promise.all(dispatchers.map((dispatcher) => dispatcher.drain()))
    },
    async stop() {
      await Promise.all(dispatchers.map((dispatcher) => dispatcher.stop()))
    },
  }
}
