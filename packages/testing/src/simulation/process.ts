import { type Clock, createEngine, type Engine, type EventType, eventType } from '@quittance/core'
import { type Dispatcher, startDispatcher } from '@quittance/webhooks'
import { seededIds } from '../random.ts'
import { happens } from './faults.ts'
import { processorLink } from './processor-link.ts'
import { simulatedSender } from './receivers.ts'
import { storeLink } from './store-link.ts'
import type { World } from './world.ts'

/** Longer than any history. */
const never_ms = 1_000 * 86_400_000

/** One process of the host: an engine, often a dispatcher, and a memory that dies with it. */
export class SimulatedProcess {
  readonly name: string
  readonly engine: Engine
  readonly clock: Clock
  /** Resolves when it dies. */
  readonly died: Promise<void>
  state: 'running' | 'frozen' | 'dead' = 'running'
  readonly #die: () => void
  #dispatcher: Dispatcher | null = null
  #frozen_at_ms = 0
  readonly #world: World

  constructor(world: World, { number, skew_ms }: { number: number; skew_ms: number }) {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.name = `p${number}`
    this.died = promise
    this.#die = resolve
    this.#world = world
    this.clock = world.timeline.clockOf(this, skew_ms)
    this.engine = createEngine({
      store: storeLink(world, this),
      secret: 'a secret of the simulation, 32 bytes or more',
      publicUrl: 'https://pay.example.com',
      ids: seededIds(world.seed * 64 + number),
      clock: this.clock,
      processors: {
        sandbox: processorLink(world, this, world.banks.sandbox),
        live: processorLink(world, this, world.banks.live),
      },
      on: throwingListeners(world),
      logger: {
        info() {},
        warn: (message, fields) => world.witness.hears(message, fields),
        error: (message, fields) => world.witness.hears(message, fields),
      },
    })
  }

  /** Sends webhooks until it dies, woken by what it waits for: a sweep is a step of the history. */
  dispatch(): Dispatcher {
    this.#world.scheduler.takes_turns = true
    this.#dispatcher ??= startDispatcher(watched(this.engine, this.#world), {
      sender: simulatedSender(this.#world, this),
      pollMs: never_ms,
      concurrency: 20,
    })
    return this.#dispatcher
  }

  get dispatches(): boolean {
    return this.#dispatcher !== null
  }

  /** It stops, and does not know it. */
  freeze(at_ms: number): void {
    this.state = 'frozen'
    this.#frozen_at_ms = at_ms
  }

  thaw(at_ms: number): { frozen_ms: number } {
    this.state = 'running'
    return { frozen_ms: at_ms - this.#frozen_at_ms }
  }

  /** Its memory is gone: nothing it waits for is ever answered, and nobody hears of it again. */
  kill(): void {
    this.state = 'dead'
    this.#die()
  }
}

/** The same engine, for a dispatcher: what it asks about is witnessed. */
function watched(engine: Engine, { witness }: World): Engine {
  const { deliveries } = engine
  return {
    ...engine,
    deliveries: {
      ...deliveries,
      unchanged(leased) {
        witness.leases.asks(leased)
        return deliveries.unchanged(leased)
      },
    },
  }
}

/** The host hears every event, and sometimes throws. */
function throwingListeners(world: World): Partial<Record<EventType, () => void>> {
  const listen = () => {
    if (!happens(world.random, world.rates.listener_throws)) return
    world.witness.saw('a listener of the host threw')
    throw new Error('the listener is on fire')
  }
  return Object.fromEntries(eventType.options.map((type) => [type, listen]))
}
