import {
  type Caller,
  createEngine,
  type Engine,
  type EngineOptions,
  memoryStore,
  type Processor,
  type Scope,
  type Store,
} from '@quittance/core'
import { type SimulatedProcessor, simulatedProcessor } from '@quittance/processor-simulator'
import { seededIds } from '../random.ts'
import { type VirtualClock, virtualClock } from '../virtual-clock.ts'

/** An engine and everything around it that a test drives or inspects. */
export interface Sandbox {
  engine: Engine
  store: Store
  processor: SimulatedProcessor
  live_processor: SimulatedProcessor
  clock: VirtualClock
  scope: Scope
  /** A secret key with every scope, in the sandbox. */
  caller: Caller
  /** A publishable key: what a browser confirms sessions with. */
  browser: Caller
  /** Another engine on the same store, processor and clock, as a second process would be. */
  another(options?: Partial<EngineOptions>): Sandbox
}

export type SandboxOptions = Partial<Omit<EngineOptions, 'clock' | 'store' | 'processors'>> & {
  store?: Store | undefined
  clock?: VirtualClock | undefined
  processor?: SimulatedProcessor | undefined
  /** Pass `processor` instead; for another engine, `another(withProcessor(sandbox, processor))`. */
  processors?: never
  seed?: number | undefined
}

let openStore: () => Store | Promise<Store> = memoryStore

/** From now on, a sandbox that is given no store gets one from `open`: the same tests, on any store. */
export function openSandboxesOn(open: () => Store | Promise<Store>): void {
  openStore = open
}

/** Memory store unless told otherwise, simulated processors, virtual clock and seeded ids, with one workspace. */
export async function openSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  // It would be ignored, and a test of it would pass.
  if (options.processors !== undefined)
    throw new TypeError(
      '`openSandbox` takes a `processor` of the simulator; yours goes to `sandbox.another(withProcessor(sandbox, yours))`.',
    )
  const {
    store = await openStore(),
    clock = virtualClock(),
    processor = simulatedProcessor(),
    seed = 1,
    ids = seededIds(seed),
    testHelpers = true,
    ...rest
  } = options
  const live_processor = simulatedProcessor()
  const settings: EngineOptions = {
    secret: 'a secret of the tests, 32 bytes or more',
    publicUrl: 'https://pay.example.com',
    ids,
    testHelpers,
    ...rest,
    store,
    clock,
    processors: { sandbox: processor, live: live_processor },
  }
  const engine = createEngine(settings)
  await engine.migrate()
  const { id } = await engine.admin.workspaces.create({ name: 'Acme' })
  const scope = { workspace: id, livemode: false }
  const caller = await engine.caller(scope)
  const sandbox: Sandbox = {
    engine,
    store,
    processor,
    live_processor,
    clock,
    scope,
    caller,
    browser: browserOf(caller),
    another: (changed = {}) => ({ ...sandbox, engine: createEngine({ ...settings, ...changed }) }),
  }
  return sandbox
}

/** The same engine, seen from another workspace or environment. */
export async function sandboxIn(sandbox: Sandbox, scope: Scope): Promise<Sandbox> {
  const caller = await sandbox.engine.caller(scope)
  const seen: Sandbox = {
    ...sandbox,
    scope,
    caller,
    browser: browserOf(caller),
    another: (options) => ({ ...seen, engine: sandbox.another(options).engine }),
  }
  return seen
}

/** The caller of a page with its publishable key. */
export function browserOf(caller: Caller): Caller {
  return { ...caller, key: 'publishable', scopes: ['payment_methods:tokenize'] }
}

/** The settings of another engine whose sandbox processor is this one. */
export function withProcessor(sandbox: Sandbox, processor: Processor): Pick<EngineOptions, 'processors'> {
  return { processors: { sandbox: processor, live: sandbox.live_processor } }
}
