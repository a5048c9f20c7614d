import type { Store } from '@quittance/core'
import { type SimulatedProcessor, simulatedProcessor } from '@quittance/processor-simulator'
import { type Random, seededRandom } from '@quittance/testing'
import type { ProcessSettings } from './calls.ts'
import { type AheadClock, aheadClock } from './clock.ts'
import { openEngine } from './engine.ts'
import { type EngineChild, startEngine } from './engine-child.ts'
import { type Findings, newFindings } from './findings.ts'
import { until } from './lanes.ts'
import type { Ground } from './postgres.ts'
import { openReceiver, type Receiver } from './receiver.ts'
import { type WatchedProcessor, watchedProcessor } from './watched-processor.ts'
import { openWorkspaces, type Workspace } from './workspaces.ts'

/** Engines in processes of their own, and all that they share; the processor and the receiver live in the parent. */
export interface Field {
  children: EngineChild[]
  workspaces: Workspace[]
  store: Store
  processor: SimulatedProcessor
  watched: WatchedProcessor
  receiver: Receiver
  clock: AheadClock
  random: Random
  findings: Findings
  close(): Promise<void>
}

interface FieldSettings {
  ground: Ground
  processes: number
  workspaces: number
  redis?: string
  seed: number
}

/** What the cards of every workspace are: approved, refused, lost on the way; refunds at once, late, never. */
export const card_tokens = [
  'tok_test_visa',
  'tok_test_declined',
  'tok_test_insufficient_funds',
  'tok_test_unreachable',
  'tok_test_unknown_approved',
  'tok_test_refund_pending',
  'tok_test_refund_fails',
  'tok_test_refund_refused',
] as const

export async function openField(options: FieldSettings): Promise<Field> {
  const { ground, redis, seed } = options
  const random = seededRandom(seed)
  const clock = aheadClock()
  const processor = simulatedProcessor({ faults: ({ method }) => faultOf(method, random) })
  const chance = () => random.below(1_000) / 1_000
  const watched = watchedProcessor(processor, { random: chance, slowest_ms: 3 })
  let slow = ''
  const receiver = await openReceiver({
    clock,
    answer: (n, workspace) => answerOf(n, { random, slow: workspace === slow }),
  })
  const settings: ProcessSettings = {
    ...{ connectionString: ground.connectionString, schema: ground.schema, connections: 8 },
    ...(redis === undefined ? {} : { redis }),
  }
  const { engine, store } = openEngine(settings, { processor: watched.processor, clock })
  await engine.migrate()
  const workspaces = await openWorkspaces(engine, receiver, {
    count: options.workspaces,
    tokens: card_tokens,
  })
  slow = workspaces[0]?.id ?? slow
  const children = await Promise.all(
    Array.from({ length: options.processes }, () => startEngine(settings, watched.processor)),
  )
  return {
    ...{ children, workspaces, store, processor, watched, receiver, clock, random },
    findings: newFindings(),
    async close() {
      await Promise.all(children.map((child) => child.end()))
      await receiver.close()
      await engine.close()
      await ground.close()
    },
  }
}

/** Half of all that is done is done in the first workspace, whose receiver is slow: there deliveries wait for room. */
export function pickWorkspace({ workspaces, random }: Field): Workspace {
  return random.pick(random.below(2) === 0 ? workspaces.slice(0, 1) : workspaces)
}

const minute_ms = 60_000

/** Let time pass until nothing waits: look-ups and retries after a minute or two, refunds that take an hour. */
export async function settle(field: Field): Promise<void> {
  for (const by_ms of [2 * minute_ms, 10 * minute_ms, 90 * minute_ms]) {
    await Promise.all(field.children.map((child) => child.ask('rest', null)))
    field.clock.advance(by_ms)
    await Promise.all(field.children.map((child) => child.ask('advance', by_ms)))
    await Promise.all(field.children.map((child) => child.ask('work', null)))
    const quiet = await until(() => nothingDue(field), { patience_ms: 120_000 })
    field.findings.expect(quiet, 'something stays due for ever')
  }
  await Promise.all(field.children.map((child) => child.ask('rest', null)))
}

async function nothingDue({ store, clock, children }: Field): Promise<boolean> {
  await children[0]?.ask('reconcile', null)
  const now = new Date(clock.now()).toISOString()
  const { delivery } = await store.nextDue()
  const rows = await store.due({ at: now, limit: 1 })
  return rows.length === 0 && (delivery === null || delivery > now)
}

/** One charge or refund in a hundred breaks: half of them before it has an effect. */
function faultOf(method: string, random: Random) {
  if (method !== 'charge' && method !== 'refund') return 'none'
  const drawn = random.below(200)
  return drawn === 0 ? 'throw_before' : drawn === 1 ? 'throw_after' : 'none'
}

/** One post in a hundred is answered 503; one in twenty waits, and every one at a slow receiver. */
function answerOf(n: number, { random, slow }: { random: Random; slow: boolean }) {
  const after_ms = slow || n % 20 === 0 ? 20 + random.below(80) : random.below(4)
  return { status: n % 100 === 0 ? 503 : 200, after_ms }
}
