import { setTimeout } from 'node:timers/promises'
import type { Sandbox } from '../../../testing/src/builders/sandbox.ts'
import { type Random, seededRandom } from '../../../testing/src/random.ts'
import { testedStore } from '../stores/tested-store.ts'
import * as endpoints from './endpoints.ts'
import { detach, make_method } from './money.ts'
import { cancel_invoice, expire_page, send_again, write_off } from './pages.ts'
import type { Draw, Joined, Outcome, Request, World } from './world.ts'

const parts: readonly Draw[] = [
  endpoints.create,
  endpoints.edit,
  endpoints.disable,
  endpoints.disable,
  endpoints.enable,
  endpoints.remove,
  endpoints.resend,
  endpoints.rotate,
  endpoints.revoke,
  expire_page,
  expire_page,
  detach,
  make_method,
  cancel_invoice,
  write_off,
  send_again,
]

/** None of them silences, wakes or forgives, so that a request can be two of these and one of the others. */
const beside: readonly Draw[] = [
  expire_page,
  endpoints.update_customer,
  endpoints.create_customer,
  make_method,
]

/** One or two requests in a transaction of the host's, which is late to commit, or thinks better of it. */
export const in_host: Draw = async (world) => {
  const { random } = world
  const whole = [await random.pick(parts)(world)]
  if (random.below(2) === 0) whole.splice(random.below(2), 0, await random.pick(beside)(world))
  const commits = random.below(3) > 0
  const about = `${commits ? 'committed' : 'rolled back'} by the host: ${whole.map((one) => one.about).join(', then ')}`
  const seed = random.below(1_000_000_000)
  const run = (process: Sandbox) => hosted(world, { process, whole, commits, random: seededRandom(seed) })
  if (!commits) return { about, run }
  const writes = whole.flatMap((one) => one.writes ?? [])
  const [first, second] = whole
  return { ...first, ...second, about, run, writes, key: second === undefined ? first?.key : undefined }
}

interface Hosting {
  process: Sandbox
  whole: readonly Request[]
  commits: boolean
  random: Random
}

/** As a host should: it runs again what was in another one's way, and gives up where one of two is refused. */
async function hosted(world: World, hosting: Hosting): Promise<Outcome> {
  for (let attempt = 1; ; attempt += 1) {
    const transaction = await world.begin?.()
    if (transaction === undefined) throw new Error('there is no host')
    const engine = hosting.process.engine.withTransaction(transaction.native)
    let outcome: Outcome
    try {
      outcome = await answered({ ...hosting.process, engine }, hosting)
    } catch (fault) {
      await transaction.rollback()
      if (!isConflict(fault) || attempt === 8) throw fault
      continue
    }
    // A refusal has undone itself, and is remembered under its key; what came before it goes with the host.
    const kept = hosting.commits && (outcome.code === null || hosting.whole.length === 1)
    await (kept ? transaction.commit() : transaction.rollback())
    if (kept) engine.committed()
    return outcome
  }
}

async function answered(joined: Joined, { whole, commits, random }: Hosting): Promise<Outcome> {
  const { late } = testedStore()
  const wait = () => (random.below(3) === 0 ? setTimeout(random.below(30)) : late(random))
  const bodies: string[] = []
  for (const request of whole) {
    if (request.join === undefined) throw new Error(`no host can have ${request.about}`)
    const answer = await request.join(joined)
    await wait()
    if (answer.code !== null) return answer
    bodies.push(answer.body)
  }
  return { status: 200, code: commits ? null : 'rolled_back', body: bodies.join(' ') }
}

function isConflict(fault: unknown): boolean {
  const code = fault instanceof Error && 'code' in fault ? String(fault.code) : ''
  return ['40001', '40P01', 'SQLITE_BUSY', 'SQLITE_BUSY_SNAPSHOT'].includes(code)
}
