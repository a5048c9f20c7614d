import { AsyncLocalStorage } from 'node:async_hooks'
import type { EventRow } from '../../events/event.ts'
import { keepingAlive } from '../../kernel/keeping-alive.ts'
import type { JoinedStore } from '../../ports/store.ts'
import { second_ms } from '../../schema/timestamps.ts'
import type { UnitServices } from '../services.ts'

/** Longer than any listener takes that only writes. */
const patience_ms = 10 * second_ms

/** The unit of work whose listener is running now, or started what is running now. */
const calling = new AsyncLocalStorage<ListenedUnit>()

/** A unit of work, for the listeners that it calls. */
export class ListenedUnit {
  readonly #store: JoinedStore
  readonly #inContext: (run: () => unknown) => unknown = (run) => run()
  #around = calling.getStore()
  #isOver = false
  readonly #waiting: (() => void)[] = []

  constructor({
    given_store,
    listeners,
    joined,
  }: Pick<UnitServices, 'given_store' | 'listeners' | 'joined'>) {
    this.#store = given_store
    // A store may run a unit in another caller's context, so a listener gets back its own. Not in a host's transaction, whose
    // turns live in the context (`turns.ts`). Without listeners the context is not kept: that costs 3 us.
    if (!joined && Object.keys(listeners).length > 0) this.#inContext = AsyncLocalStorage.snapshot()
  }

  /** The unit that has to end before another can begin on this store, because a listener of it is beginning the other. */
  static around({ given_store }: Pick<UnitServices, 'given_store'>): ListenedUnit | undefined {
    let unit = calling.getStore()
    while (unit !== undefined && (unit.#isOver || unit.#store !== given_store)) unit = unit.#around
    return unit
  }

  async call(
    { clock, logger }: Pick<UnitServices, 'clock' | 'logger'>,
    { type, subject }: Pick<EventRow, 'type' | 'subject'>,
    listener: () => unknown,
  ): Promise<void> {
    const named = { type, id: subject }
    const cancel = clock.after(patience_ms, () => logger.warn('a listener is still running', named))
    try {
      await this.#inContext(() => calling.run(this, listener))
    } finally {
      cancel()
    }
  }

  /**
   * Resolves when the unit is over. Throws after `patience_ms`: its listener is probably waiting for the very work that
   * waits here.
   */
  async ended({ clock }: Pick<UnitServices, 'clock'>): Promise<void> {
    const ended = Promise.withResolvers<void>()
    const cancel = clock.after(patience_ms, () => ended.reject(new Error(waits_for_itself)))
    this.#waiting.push(ended.resolve)
    await keepingAlive(clock, () => ended.promise)
    cancel()
  }

  end(): void {
    this.#isOver = true
    this.#around = undefined
    for (const go of this.#waiting) go()
  }
}

const waits_for_itself =
  'A listener waits for an engine on its store, which waits for the listener’s transaction: in a listener, use `engine.withTransaction(tx)`.'
