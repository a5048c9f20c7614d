import type { Processor, Store } from '@quittance/core'
import { type SimulatedProcessor, simulatedProcessor } from '@quittance/processor-simulator'
import { type Random, seededRandom } from '@quittance/testing'
import type { ProcessSettings } from './calls.ts'
import { type MovableClock, movableClock } from './clock.ts'
import { openEngine } from './engine.ts'
import { type EngineChild, startEngine } from './engine-child.ts'
import { type Findings, newFindings } from './findings.ts'
import type { ProofDatabase } from './postgres.ts'
import { openReceiver, type Receiver } from './receiver.ts'
import { type WatchedProcessor, watchedProcessor } from './watched-processor.ts'
import { openWorkspaces, type Workspace } from './workspaces.ts'

/** Engines in child processes, and all that they share; the processor and the receiver are in the parent. */
export interface Fleet {
  readonly children: readonly EngineChild[]
  workspaces: Workspace[]
  store: Store
  processor: SimulatedProcessor
  watched: WatchedProcessor
  receiver: Receiver
  clock: MovableClock
  random: Random
  findings: Findings
  /** Starts one more process. */
  start(settings?: Partial<ProcessSettings>): Promise<EngineChild>
  close(): Promise<void>
}

export interface FleetSettings {
  database: ProofDatabase
  processes: number
  workspaces: number
  redis?: string
  seed?: number
  /** How many times faster than real time the clocks run. */
  speed?: number
  /** The status for the n-th post. By default some wait, and some get a 503. */
  answer?: (n: number) => number | Promise<number>
  /** The processor that the processes call. By default, one that is slow, and some of whose calls fail. */
  around?: (processor: Processor) => Processor
}

export async function openFleet(options: FleetSettings): Promise<Fleet> {
  const { database, redis, seed = 1, speed = 1 } = options
  const random = seededRandom(seed)
  const pace = { began_ms: Date.now(), speed }
  const clock = movableClock(pace)
  const faulty = options.around === undefined
  const processor = simulatedProcessor(faulty ? { faults: ({ method }) => faultOf(method, random) } : {})
  const watched = watchedProcessor(processor, { random, slowest_ms: faulty ? 3 : 0 })
  const asked = options.around?.(watched.processor) ?? watched.processor
  const workspaces: Workspace[] = []
  const answer =
    options.answer ?? ((n: number, to: string) => answerOf(n, { random, slow: to === workspaces[0]?.id }))
  const receiver = await openReceiver({ clock, answer })
  const settings: ProcessSettings = {
    connectionString: database.connectionString,
    schema: database.schema,
    connections: 8,
    pace,
    ...(redis === undefined ? {} : { redis }),
  }
  const { engine, store } = openEngine(settings, { processor: asked, clock })
  await engine.migrate()
  workspaces.push(...(await openWorkspaces(engine, receiver, options.workspaces)))
  const children: EngineChild[] = []
  const start: Fleet['start'] = async (own) => {
    const child = await startEngine({ ...settings, ...own }, asked)
    children.push(child)
    return child
  }
  await Promise.all(Array.from({ length: options.processes }, () => start()))
  return {
    children,
    workspaces,
    store,
    processor,
    watched,
    receiver,
    clock,
    random,
    findings: newFindings(),
    start,
    async close() {
      await Promise.all(children.map((child) => child.end()))
      await receiver.close()
      await engine.close()
      await database.close()
    },
  }
}

/** Half of all work is in the first workspace, whose receiver is slow: there, deliveries wait for places. */
export function pickWorkspace({ workspaces, random }: Fleet): Workspace {
  return random.pick(random.below(2) === 0 ? workspaces.slice(0, 1) : workspaces)
}

/** One charge or refund in a hundred fails: half of those before they have an effect. */
function faultOf(method: string, random: Random) {
  if (method !== 'charge' && method !== 'refund') return 'none'
  const drawn = random.below(200)
  return drawn === 0 ? 'throw_before' : drawn === 1 ? 'throw_after' : 'none'
}

/** One post in a hundred gets a 503; one in twenty waits, and at a slow receiver every post. */
async function answerOf(n: number, { random, slow }: { random: Random; slow: boolean }): Promise<number> {
  const after_ms = slow || n % 20 === 0 ? 20 + random.below(80) : random.below(4)
  await new Promise((resolve) => setTimeout(resolve, after_ms))
  return n % 100 === 0 ? 503 : 200
}
