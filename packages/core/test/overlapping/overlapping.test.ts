import { setTimeout } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { expect, it } from 'vitest'
import { attemptDue } from '../../../testing/src/builders/deliveries.ts'
import { openSandbox, type Sandbox } from '../../../testing/src/builders/sandbox.ts'
import { expectInvariants, expectQuiet } from '../../../testing/src/invariants/expect-invariants.ts'
import { type Rows, readRows } from '../../../testing/src/invariants/rows.ts'
import { type Random, seededRandom } from '../../../testing/src/random.ts'
import type { Logger } from '../../src/ports/logger.ts'
import type { RaceRows } from '../simulation/race.ts'
import { runs, type SharedRows, testedStore } from '../stores/tested-store.ts'
import { type Answered, brokenAnswers, brokenRepeats, brokenRows } from './answers.ts'
import { brokenCopies, brokenNames, copyLedger, of_back_office, syncAll } from './back-office.ts'
import { brokenDeliveries, brokenSends } from './deliveries.ts'
import { of_accounts, of_endpoints } from './endpoints.ts'
import { liveBeside, readAll, sentIn, strayed } from './environments.ts'
import { in_host } from './hosts.ts'
import { Ledger } from './ledger.ts'
import { Locks } from './locks.ts'
import { makers } from './makers.ts'
import { filing, of_money, pass_time, reconcile } from './money.ts'
import { of_pages } from './pages.ts'
import { brokenPauses, failForDays, of_pauses, overdue } from './pauses.ts'
import { twoProcesses } from './processes.ts'
import { deliverAll, dispatchBoth, Receiver } from './receiver.ts'
import { type Draw, type Request, World } from './world.ts'

/** Rounds in memory; where rows are on a disk a tenth of them. `RACE_SEED` is the first of their seeds. */
const rounds = Number(process.env.RACE_ROUNDS ?? 400)
const first_seed = Number(process.env.RACE_SEED ?? 1)

/** Longer than any round takes: one that takes longer waits for ever. */
const patience_ms = 30_000

const everywhere: readonly Draw[] = [reconcile, pass_time]
const anything = [...of_money, ...of_pages, ...of_endpoints, ...of_accounts]
const of_hosts = [...Array<Draw>(16).fill(in_host), ...filing, ...of_pages, ...of_endpoints]
const families = [of_money, of_pages, of_endpoints, of_endpoints, of_pauses, of_back_office, anything]

it('whatever any few requests at once come to, all that must hold holds', {
  timeout: 60_000 + 2_000 * rounds,
}, async () => {
  const { openTwice, repeats } = testedStore()
  const here = openTwice && repeats ? Math.ceil(rounds / 10) : runs(rounds)
  const failed: string[] = []
  for (let seed = first_seed; seed < first_seed + here && failed.length < 5; seed += 1) {
    const told: string[] = []
    try {
      await playRound(seed, told)
    } catch (fault) {
      failed.push([`seed ${seed}: ${fault instanceof Error ? fault.stack : fault}`, ...told].join('\n  '))
    }
  }
  expect(failed.join('\n\n')).toBe('')
})

async function playRound(seed: number, told: string[]): Promise<void> {
  const { open, openTwice } = testedStore()
  const rows = await (openTwice ?? (async () => sharing(await open())))()
  const over = new AbortController()
  const waiting = setTimeout(patience_ms, null, { signal: over.signal }).then(
    () => {
      throw new Error(`no end after ${patience_ms} ms`)
    },
    () => {},
  )
  try {
    await Promise.race([raceAndRest(seed, rows, told), waiting])
  } finally {
    over.abort()
    await rows.close()
  }
}

type RoundRows = RaceRows & Partial<SharedRows>

const sharing = (store: RaceRows['store']): RoundRows => ({
  store,
  again: store,
  close: () => store.close(),
})

async function raceAndRest(seed: number, rows: RoundRows, told: string[]): Promise<void> {
  const random = seededRandom(seed)
  const faults: string[] = []
  const receiver = new Receiver()
  const ledger = new Ledger(seededRandom(seed + 2_000_000))
  const sandbox = await openSandbox({
    seed,
    store: rows.store,
    logger: hearing(faults),
    connectors: { ledger },
    notifyOfKeyEndpoints: true,
    notifier: { endpointPaused: async ({ endpoint }) => receiver.paused(endpoint) },
  })
  const environments = random.below(4) === 0 ? [sandbox, await liveBeside(sandbox)] : [sandbox]
  const worlds = environments.map(
    (one) => new World({ sandbox: one, random, ledger, makers, begin: rows.begin }),
  )
  const requests = await drawGroup(worlds, told)
  const locks = new Locks()
  // What comes at the time of a database's answers is drawn from elsewhere, so that a seed draws the same group.
  const chance = seededRandom(seed + 1_000_000)
  const processes = twoProcesses({ rows, sandbox, random: chance, receiver, locks })
  // So that an endpoint that is changed now is seen to have been.
  sandbox.clock.advance(1)
  const each = await Promise.all(environments.map(({ store, scope }) => readRows(store, scope)))
  const before = await readAll(environments)
  const mend = breaking(rows, chance)
  const answers = await race(requests, { processes, receiver, chance })
  const isBroken = await mend()
  for (const { asked, answered, request, outcome } of answers)
    told.push(`${asked} to ${answered}: ${request.about}: ${outcome?.code ?? outcome?.status ?? 'thrown'}`)
  const after = await readAll(environments)
  const broken = [
    ...brokenAnswers(answers),
    ...brokenRows(answers, { before, after, settled: ledger.settled }),
    ...(await brokenRepeats(answers, sandbox)),
    ...brokenSends(receiver, before, after),
    ...brokenDeliveries({ requests, pauses: receiver.pauses, isBroken }, before, after),
    ...brokenPauses(answers, receiver, after),
    ...brokenNames(answers),
    ...strayed(sandbox),
    ...locks.opposite(),
  ]
  expectNone([...broken, ...faults])
  const clock_was_set = requests.some(({ sets_clock }) => sets_clock)
  for (const [n, one] of environments.entries())
    await expectInvariants(one, 'after the race', { ...(each[n] ? { before: each[n] } : {}), clock_was_set })
  await sandbox.engine.reconcile()
  expectNone(overdue(sandbox.clock.now(), await readAll(environments)))
  for (const world of worlds) if (world.has('connection')) await expectCopied(world)
  for (const one of environments) await expectQuiet(one, 'at rest', { clock_was_set })
  for (const one of environments) await expectDelivered(one, processes, receiver)
  expectNone([...strayed(sandbox), ...faults])
}

async function drawGroup(worlds: readonly World[], told: string[]): Promise<Request[]> {
  const [first] = worlds
  if (first === undefined) throw new Error('there is no world')
  const { random, sandbox } = first
  for (const world of worlds)
    for (let more = random.below(4); more > 0; more -= 1) await world.one('endpoint')
  const family = random.pick(first.begin === undefined ? families : [...families, of_hosts])
  if (family === of_pauses) await failForDays(first)
  if (family === of_back_office) for (const world of worlds) await copyLedger(world)
  const requests: Request[] = []
  for (let left = 3 + random.below(4); left > 0; left -= 1) {
    const same = requests.length > 0 && random.below(6) === 0
    const draw = random.below(6) === 0 ? random.pick(everywhere) : random.pick(family)
    const world = random.pick(worlds)
    requests.push(same ? random.pick(requests) : sentIn(world.sandbox, await draw(world)))
  }
  const attempted = family === of_pauses ? 'nothing' : random.pick(['nothing', 'nothing', null, 'http 503'])
  if (attempted !== 'nothing') await attemptDue(sandbox, attempted)
  if (attempted === 'http 503') sandbox.clock.advance(60_000)
  told.push(...requests.map(({ about }) => `drawn: ${about}`), `attempted: ${attempted}`)
  return requests
}

async function expectCopied(world: World): Promise<void> {
  await syncAll(world)
  const { store, scope } = world.sandbox
  expectNone(brokenCopies(world.ledger, await readRows(store, scope)))
}

/** Sends them all at once, each a while late and to either process, while both dispatch. */
async function race(
  requests: readonly Request[],
  { processes, receiver, chance }: { processes: Sandbox[]; receiver: Receiver; chance: Random },
): Promise<Answered[]> {
  const { late } = testedStore()
  const sender = receiver.sender(chance, () => late(chance))
  const stop = chance.below(4) > 0 ? dispatchBoth(processes, sender) : async () => {}
  const hurried = chance.below(2) === 0
  const asking = requests.map(async (request): Promise<Answered> => {
    if (!hurried) await late(chance)
    const asked = receiver.moment()
    try {
      const outcome = await request.run(chance.pick(processes))
      receiver.answered(request, asked, outcome.code === null)
      return { request, asked, answered: receiver.moment(), outcome }
    } catch (thrown) {
      return { request, asked, answered: receiver.moment(), thrown }
    }
  })
  const answers = await Promise.all(asking)
  await stop()
  return answers
}

/** In some rounds connections break. Gives back how to end that, and to learn whether any did. */
function breaking({ breakOne, again }: RoundRows, chance: Random): () => Promise<boolean> {
  if (breakOne === undefined || chance.below(4) > 0) return async () => false
  let over = false
  const breaks = async () => {
    for (let left = 1 + chance.below(6); left > 0 && !over; left -= 1) {
      await setTimeout(chance.below(15))
      await breakOne(chance)
    }
    // So that what is to break next does so in this round.
    await again.nextDue(null)
  }
  const broken = breaks()
  return async () => {
    over = true
    await broken
    return true
  }
}

async function expectDelivered(sandbox: Sandbox, [first]: Sandbox[], receiver: Receiver): Promise<void> {
  if (first !== undefined) await deliverAll(first, receiver)
  await sandbox.engine.reconcile()
  const { violations } = await sandbox.engine.verify({ scope: sandbox.scope })
  expectNone([...violations.map((violation) => JSON.stringify(violation)), ...receiver.unheard()])
  const rows = await readRows(sandbox.store, sandbox.scope)
  const pending = rows.deliveries.filter(({ status }) => status === 'pending')
  expectNone(pending.map(({ id }) => `${id} is still pending`))
  await sandbox.engine.reconcile()
  const again = await readRows(sandbox.store, sandbox.scope)
  const moved = Object.keys(rows).filter(
    (table) => !isDeepStrictEqual(rows[table as keyof Rows], again[table as keyof Rows]),
  )
  expectNone(moved.map((table) => `${table} moved when it was reconciled again`))
}

function expectNone(broken: readonly string[]): void {
  if (broken.length > 0) throw new Error(broken.join('\n  '))
}

function hearing(faults: string[]): Logger {
  const hear = (message: string, fields?: Record<string, unknown>) =>
    void faults.push(`${message} ${JSON.stringify(fields)}`)
  return { info() {}, warn: hear, error: hear }
}
