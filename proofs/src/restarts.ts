import { type CuttingProxy, cuttingProxy } from '../../packages/store-postgres/test/cutting-proxy.ts'
import { checkBooks } from './processes/books.ts'
import { type Load, startLoad } from './processes/constant-load.ts'
import { type Findings, printFindings, tally } from './processes/findings.ts'
import { type Fleet, openFleet } from './processes/fleet.ts'
import { inLanes, seconds } from './processes/lanes.ts'
import { type FragileDatabase, openFragileDatabase } from './processes/postgres.ts'
import { settle } from './processes/settle.ts'
import { readNumbers } from './read-numbers.ts'

export interface Restarts {
  /** How often Postgres is crashed and started again. */
  restarts: number
  /** How many of its sessions are terminated, one by one. */
  kills: number
  /** How many connections of the last process are cut just when something is sent, half of them with the response. */
  cuts: number
  processes: number
  seed: number
  /** Whether a payment has to succeed within five seconds of Postgres accepting connections. */
  timed: boolean
  /** How long every tenth restart leaves it down. */
  longest_down_ms: number
}

const longest_back_ms = 5_000

/** How long the store retries before it reports an outage to its callers. */
const patience_ms = 10_000
const longer_than_patience_ms = 12_000

/** `--restarts 50 --kills 200 --cuts 200 --processes 2 --seed 1` */
export async function restarts(options: string[]): Promise<{ violations: number }> {
  const asked = readNumbers(options, { restarts: 50, kills: 200, cuts: 200, processes: 2, seed: 1 })
  const findings = await tearDownPostgres({
    ...asked,
    timed: true,
    longest_down_ms: longer_than_patience_ms,
  })
  printFindings(findings)
  return { violations: findings.violations.length }
}

export async function tearDownPostgres(settings: Restarts): Promise<Findings> {
  const { processes, seed } = settings
  const database = await openFragileDatabase()
  const fleet = await openFleet({ database, processes: processes - 1, workspaces: 2, seed })
  const { children, findings } = fleet
  const proxy = await cuttingProxy(database.connectionString)
  try {
    await fleet.start({ connectionString: proxy.connectionString })
    await expectDurable(database, findings)
    for (const child of children) await child.ask('work', null)
    const load = startLoad(fleet)
    const tearing_s = await seconds(async () => {
      const tearing = { fleet, load, settings }
      await restart(database, tearing)
      await killSessions(database, tearing)
      await cutLines(proxy, tearing)
      await load.stop()
    })
    const settling_s = await seconds(() => settle(fleet))
    await checkFaults(fleet, load)
    await checkAnswers(fleet, load)
    await checkBooks(fleet)
    findings.figures.seconds = `${tearing_s} under load, ${settling_s} until all was at rest`
    return findings
  } finally {
    await proxy.close()
    await fleet.close()
  }
}

async function expectDurable({ pool }: FragileDatabase, findings: Findings): Promise<void> {
  for (const name of ['fsync', 'synchronous_commit']) {
    const { rows } = await pool.query<{ setting: string }>(`SELECT current_setting($1) AS setting`, [name])
    findings.expect(rows[0]?.setting === 'on', `${name} is ${rows[0]?.setting}`)
  }
}

interface Tearing {
  fleet: Fleet
  load: Load
  settings: Restarts
}

async function restart(database: FragileDatabase, { fleet, load, settings }: Tearing): Promise<void> {
  const { findings } = fleet
  const back_ms: number[] = []
  const outages_ms: number[] = []
  for (let run = 1; run <= settings.restarts; run += 1) {
    await load.untilPaid(1 + fleet.random.below(40))
    const down_ms = performance.now()
    await database.crash()
    if (run % 10 === 0) await new Promise((resolve) => setTimeout(resolve, settings.longest_down_ms))
    await database.start()
    const ready_ms = performance.now()
    outages_ms.push(ready_ms - down_ms)
    await load.payNow()
    const took_ms = performance.now() - ready_ms
    back_ms.push(took_ms)
    if (settings.timed)
      findings.expect(took_ms <= longest_back_ms, `restart ${run}: no payment for ${took_ms} ms`)
  }
  findings.figures[`${settings.restarts} restarts, ms until Postgres accepts connections`] =
    spread(outages_ms)
  findings.figures['ms from then until every process has taken a payment'] = spread(back_ms)
}

function spread(values_ms: readonly number[]): string {
  const sorted = values_ms.map(Math.round).sort((one, other) => one - other)
  return `median ${sorted[Math.floor(sorted.length / 2)]}, longest ${sorted.at(-1)}`
}

/** Prefers a session that is running a statement. */
const kill_one = `
SELECT pg_terminate_backend(pid) AS ended FROM (
  SELECT pid FROM pg_stat_activity WHERE application_name = 'quittance' AND pid <> pg_backend_pid()
  ORDER BY state = 'idle', random() LIMIT 1
) session`

async function killSessions({ pool }: FragileDatabase, { fleet, load, settings }: Tearing): Promise<void> {
  let ended = 0
  while (ended < settings.kills) {
    const { rows } = await pool.query<{ ended: boolean }>(kill_one)
    if (rows[0]?.ended) ended += 1
    if (ended % 4 === 0) await load.untilPaid(1)
  }
  fleet.findings.figures['sessions ended'] = ended
}

/** If the response is lost, the statement has taken effect: often a COMMIT. */
async function cutLines(proxy: CuttingProxy, { fleet, load, settings }: Tearing): Promise<void> {
  for (let cut = 1; cut <= settings.cuts; cut += 1) {
    proxy.cutNext(cut % 2 === 0 ? 'lose answer' : 'lose request')
    await load.untilPaid(1)
  }
  fleet.findings.figures['lines cut'] = settings.cuts
}

/** No caller gets a fault before the store has retried for as long as it should. */
async function checkFaults({ children, findings }: Fleet, { answered }: Load): Promise<void> {
  const logged = (await Promise.all(children.map((child) => child.ask('logged', null)))).flat()
  for (const { response, request, asked_ms, answered_ms } of answered) {
    const took_ms = Math.round(answered_ms - asked_ms)
    if (response.code !== 'internal_error' || took_ms >= patience_ms) continue
    const { request_id } = (JSON.parse(response.body) as { error: { request_id: string } }).error
    const because = logged.find((line) => line.includes(request_id))
    findings.expect(false, `${request.key} was told of a fault after ${took_ms} ms: ${because}`)
  }
}

/** A repeated request gets the same response, byte for byte, even if that was a fault. */
async function checkAnswers({ children, findings }: Fleet, { answered, repeated }: Load): Promise<void> {
  await inLanes(answered.length, 16, async (index) => {
    const { request, response } = answered[index] ?? {}
    if (request === undefined || response === undefined) return
    const again = await children[index % children.length]?.ask('execute', request)
    const same = again?.status === response.status && again.body === response.body
    findings.expect(same, `${request.key} was answered ${response.body}, and then ${again?.body}`)
  })
  findings.figures.answers = tally(answered.map(({ response }) => response.code ?? 'accepted'))
  findings.figures['asked again under the same key'] = repeated
}
