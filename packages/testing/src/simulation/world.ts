import { type Caller, type Engine, memoryStore, type Scope, type Store } from '@quittance/core'
import { simulatedProcessor } from '@quittance/processor-simulator'
import { browserOf } from '../builders/sandbox.ts'
import { type Random, seededRandom } from '../random.ts'
import type { Bank } from './bank.ts'
import { type FaultRates, no_faults } from './faults.ts'
import type { SimulatedProcess } from './process.ts'
import { Scheduler } from './scheduler.ts'
import { Timeline } from './timeline.ts'
import { Trace } from './trace.ts'
import { Witness } from './witness.ts'

interface WorldOptions {
  seed: number
  traced: boolean
  store?: Store | undefined
  /** The processor of an environment, fresh for each history. Default: the simulated one. */
  bank?: (() => Omit<Bank, 'livemode'>) | undefined
}

/** One workspace in one environment, with the keys that open it. */
export interface Place {
  scope: Scope
  caller: Caller
  browser: Caller
  /** A dashboard user. */
  actor: Scope & { by: string }
}

/** Everything in which a history happens: processes on one store, two processors, one timeline, and a witness of all. */
export class World {
  readonly seed: number
  readonly random: Random
  readonly timeline = new Timeline()
  readonly trace: Trace
  readonly witness: Witness
  readonly scheduler: Scheduler
  readonly store: Store
  readonly banks: { sandbox: Bank; live: Bank }
  readonly places: Place[] = []
  /** How often things fail from now on. */
  rates: FaultRates = no_faults
  processes: SimulatedProcess[] = []
  /** How many processes there have ever been. */
  started = 0
  /** How many clients and passes are under way. */
  unfinished = 0
  #broken: unknown

  constructor({ seed, traced, store = memoryStore(), bank = simulatedBank }: WorldOptions) {
    this.seed = seed
    this.store = store
    this.random = seededRandom(seed)
    this.trace = new Trace(traced, () => new Date(this.timeline.engine_ms).toISOString().slice(5, 23))
    this.witness = new Witness(this.timeline, this.trace)
    this.scheduler = new Scheduler(this.random)
    this.banks = {
      sandbox: { livemode: false, ...bank() },
      live: { livemode: true, ...bank() },
    }
  }

  kill(process: SimulatedProcess): void {
    this.trace.note(() => `${process.name} dies`)
    process.kill()
    this.processes = this.processes.filter((other) => other !== process)
    this.scheduler.bury()
  }

  get running(): SimulatedProcess[] {
    return this.processes.filter(({ state }) => state === 'running')
  }

  /** Creates a workspace. */
  async found(engine: Engine, name: string): Promise<{ sandbox: Place; live: Place }> {
    const { id: workspace } = await engine.admin.workspaces.create({ name })
    return {
      sandbox: await placeOf(engine, { workspace, livemode: false }),
      live: await placeOf(engine, { workspace, livemode: true }),
    }
  }

  bankOf({ livemode }: Scope): Bank {
    return livemode ? this.banks.live : this.banks.sandbox
  }

  /** Lets time pass; timers that fire meanwhile act at their own time. */
  async pass(delta_ms: number): Promise<void> {
    const target_ms = this.timeline.passed_ms + delta_ms
    while (this.timeline.moveTo(target_ms)) await this.scheduler.rest()
  }

  /** Resolves when this much time has passed. */
  sleep(delay_ms: number): Promise<void> {
    return new Promise((resolve) => this.timeline.clockOf(outside, 0).after(delay_ms, resolve))
  }

  /** Counts `running` as unfinished until it ends; it goes on by itself, as its calls come through. */
  launch(running: Promise<unknown>): void {
    this.unfinished += 1
    void running
      .catch((fault: unknown) => {
        this.#broken = fault
      })
      .finally(() => {
        this.unfinished -= 1
      })
  }

  /** Passes to the next timer, whatever it is for, because nothing else is left to do. */
  async passToNextTimer(): Promise<void> {
    const next_ms = this.timeline.nextTimer_ms()
    if (next_ms !== null) await this.pass(next_ms - this.timeline.passed_ms)
  }

  /** Resolves when everything launched has ended, however much time that takes. */
  async untilDone(): Promise<void> {
    await this.scheduler.rest()
    for (let turn = 0; this.unfinished > 0; turn += 1) {
      if (turn > 10_000) throw new Error(`${this.unfinished} clients are still waiting for an answer`)
      await this.passToNextTimer()
      await this.scheduler.rest()
    }
    if (this.#broken !== undefined) throw this.#broken
  }

  /** The same for one promise. */
  async until<Value>(running: Promise<Value>): Promise<Value> {
    this.launch(running)
    await this.untilDone()
    return running
  }

  /** Calls a running process. Resolves to null if the response never came: the process died, or the call failed. */
  async ask<Answer>(
    process: SimulatedProcess,
    what: string,
    asked: (engine: Engine) => PromiseLike<Answer>,
  ): Promise<Answer | null> {
    if (process.state === 'dead') return null
    const answer = Promise.resolve(asked(process.engine)).catch((fault: unknown) => {
      this.trace.note(
        () => `${process.name} ${what} broke: ${fault instanceof Error ? fault.message : fault}`,
      )
      return null
    })
    let answered = false
    const died = process.died.then(() => {
      if (!answered) this.witness.saw('a process died with requests in flight')
      return null
    })
    const result = await Promise.race([answer, died])
    answered = true
    return result
  }
}

/** Clients are not processes of ours: they neither freeze nor die. */
const outside = { state: 'running' } as const

async function placeOf(engine: Engine, scope: Scope): Promise<Place> {
  const caller = await engine.caller(scope)
  return { scope, caller, browser: browserOf(caller), actor: { ...scope, by: 'a user of the dashboard' } }
}

function simulatedBank(): Omit<Bank, 'livemode'> {
  const processor = simulatedProcessor()
  return { processor, ledger: processor.ledger, control: processor.control }
}
