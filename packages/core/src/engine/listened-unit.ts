import { AsyncLocalStorage } from 'node:async_hooks'
import type { JoinedStore } from '../ports/store.ts'
import { second_ms } from '../schema/timestamps.ts'
import type { UnitServices } from './services.ts'

/** Longer than any listener takes that only writes. */
const patience_ms = 10 * second_ms

const here = (run: () => unknown) => run()

/** The unit of work whose listener does, or has begun, what is happening. */
const calling = new AsyncLocalStorage<ListenedUnit>()

/** A unit of work, for the listeners that it calls. */
export class ListenedUnit {
  readonly #store: JoinedStore
  readonly #inContext: (run: () => unknown) => unknown = here
  #around = calling.getStore()
  #isOver = false
  readonly #waiting: (() => void)[] = []

  constructor({ store, listeners, joined }: Pick<UnitServices, 'store' | 'listeners' | 'joined'>) {
    this.#store = store
    // A store may run a unit in the context of another one, but not in a transaction of the host, which has turns. Only
    // for listeners: to keep a context costs 3 us.
    if (!joined && Object.keys(listeners).length > 0) this.#inContext = AsyncLocalStorage.snapshot()
  }

  /** The one that has to end before a unit can begin here, because one of its listeners begins it. */
  static around(store: JoinedStore): ListenedUnit | undefined {
    let unit = calling.getStore()
    while (unit !== undefined && (unit.#isOver || unit.#store !== store)) unit = unit.#around
    return unit
  }

  async call(
    { clock, logger }: Pick<UnitServices, 'clock' | 'logger'>,
    type: string,
    listener: () => unknown,
  ): Promise<void> {
    const cancel = clock.after(patience_ms, () => logger.warn('a listener has not ended', { type }))
    try {
      await this.#inContext(() => calling.run(this, listener))
    } finally {
      cancel()
    }
  }

  /** Throws if that takes as long as if the listener waited for what waits here: neither would ever end. */
  async ended({ clock }: Pick<UnitServices, 'clock'>): Promise<void> {
    const ended = Promise.withResolvers<void>()
    const cancel = clock.after(patience_ms, () => ended.reject(new Error(waits_for_itself)))
    this.#waiting.push(ended.resolve)
    await ended.promise
    cancel()
  }

  end(): void {
    this.#isOver = true
    this.#around = undefined
    for (const go of this.#waiting) go()
  }
}

const waits_for_itself =
  'A listener waits for the engine, which waits for the listener’s transaction: in a listener, use `engine.withTransaction(tx)`.'
