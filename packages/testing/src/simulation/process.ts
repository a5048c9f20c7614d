import type { Clock, Engine } from '@quittance/core'
import type { Dispatcher } from '@quittance/webhooks'
import type { Sleeper } from './timeline.ts'

/** What a process runs. */
export interface Program {
  engine: Engine
  startDispatcher(): Dispatcher
}

interface ProcessOptions {
  name: string
  clockOf(process: Sleeper): Clock
  load(process: SimulatedProcess): Program
}

/** One process of the host: an engine, often a dispatcher, and a memory that dies with it. */
export class SimulatedProcess implements Sleeper {
  readonly name: string
  readonly clock: Clock
  readonly engine: Engine
  /** Resolves when it dies. */
  readonly died: Promise<void>
  state: 'running' | 'frozen' | 'dead' = 'running'
  readonly #die: () => void
  readonly #program: Program
  #dispatcher: Dispatcher | null = null
  #frozen_at_ms = 0

  constructor({ name, clockOf, load }: ProcessOptions) {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.name = name
    this.died = promise
    this.#die = resolve
    this.clock = clockOf(this)
    this.#program = load(this)
    this.engine = this.#program.engine
  }

  /** Sends webhooks until it dies. */
  dispatch(): Dispatcher {
    this.#dispatcher ??= this.#program.startDispatcher()
    return this.#dispatcher
  }

  get dispatches(): boolean {
    return this.#dispatcher !== null
  }

  /** Stops the process without its knowing. */
  freeze(at_ms: number): void {
    this.state = 'frozen'
    this.#frozen_at_ms = at_ms
  }

  thaw(at_ms: number): { frozen_ms: number } {
    this.state = 'running'
    return { frozen_ms: at_ms - this.#frozen_at_ms }
  }

  /** Ends the process: its memory is gone, nothing that it waits for ever resolves, and it does nothing more. */
  kill(): void {
    this.state = 'dead'
    this.#die()
  }
}
