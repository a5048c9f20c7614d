import { parseArgs } from 'node:util'
import { checkBooks } from './processes/books.ts'
import { type Load, startLoad } from './processes/constant-load.ts'
import { type Field, openField } from './processes/field.ts'
import { type Findings, printFindings, tally } from './processes/findings.ts'
import { inLanes, seconds } from './processes/lanes.ts'
import { type FragileGround, openFragileGround } from './processes/postgres.ts'
import { settle } from './processes/settle.ts'

export interface Restarts {
  /** How often Postgres is ended at once and started again. */
  restarts: number
  /** How many of its sessions are ended one by one. */
  kills: number
  processes: number
  seed: number
  /** Whether a payment has to succeed within five seconds of Postgres accepting connections. */
  timed: boolean
  /** How long every tenth restart leaves it down. */
  longest_down_ms: number
}

const longest_back_ms = 5_000

/** Callers of the store are told of an outage that lasts longer than 10 s. */
const longer_than_patience_ms = 12_000

/** `--restarts 50 --kills 200 --processes 2 --seed 1` */
export async function restarts(options: string[]): Promise<{ violations: number }> {
  const { values } = parseArgs({
    args: options,
    options: {
      restarts: { type: 'string', default: '50' },
      kills: { type: 'string', default: '200' },
      processes: { type: 'string', default: '2' },
      seed: { type: 'string', default: '1' },
    },
  })
  const findings = await tearDownPostgres({
    restarts: Number(values.restarts),
    kills: Number(values.kills),
    processes: Number(values.processes),
    seed: Number(values.seed),
    timed: true,
    longest_down_ms: longer_than_patience_ms,
  })
  printFindings(findings)
  return { violations: findings.violations.length }
}

export async function tearDownPostgres(settings: Restarts): Promise<Findings> {
  const { processes, seed } = settings
  const ground = await openFragileGround()
  const field = await openField({ ground, processes, workspaces: 2, seed })
  const { children, findings } = field
  try {
    await expectDurable(ground, findings)
    for (const child of children) await child.ask('work', null)
    const load = startLoad(field)
    const tearing_s = await seconds(async () => {
      await restart(ground, { field, load, settings })
      await killSessions(ground, { load, settings, findings })
      await load.stop()
    })
    const settling_s = await seconds(() => settle(field))
    checkFaults(field, { load, settings })
    await checkAnswers(field, load)
    await checkBooks(field)
    findings.figures.seconds = `${tearing_s} under load, ${settling_s} until all was at rest`
    return findings
  } finally {
    await field.close()
  }
}

async function expectDurable({ pool }: FragileGround, findings: Findings): Promise<void> {
  for (const name of ['fsync', 'synchronous_commit']) {
    const { rows } = await pool.query<{ setting: string }>(`SELECT current_setting($1) AS setting`, [name])
    findings.expect(rows[0]?.setting === 'on', `${name} is ${rows[0]?.setting}`)
  }
}

interface Tearing {
  field: Field
  load: Load
  settings: Restarts
}

async function restart(ground: FragileGround, { field, load, settings }: Tearing): Promise<void> {
  const back_ms: number[] = []
  for (let run = 1; run <= settings.restarts; run += 1) {
    await load.untilPaid(1 + field.random.below(40))
    await ground.crash()
    if (run % 10 === 0) await new Promise((resolve) => setTimeout(resolve, settings.longest_down_ms))
    await ground.start()
    const ready_ms = performance.now()
    await load.payNow()
    const took_ms = Math.round(performance.now() - ready_ms)
    back_ms.push(took_ms)
    if (settings.timed)
      field.findings.expect(took_ms <= longest_back_ms, `restart ${run}: no payment for ${took_ms} ms`)
  }
  const sorted = back_ms.sort((one, other) => one - other)
  const median = sorted[Math.floor(sorted.length / 2)]
  field.findings.figures[`${settings.restarts} restarts, ms until every process takes a payment`] =
    `median ${median}, longest ${sorted.at(-1)}`
}

/** Preferably those that are at work just then. */
const kill_one = `
SELECT pg_terminate_backend(pid) AS ended FROM (
  SELECT pid FROM pg_stat_activity WHERE application_name = 'quittance' AND pid <> pg_backend_pid()
  ORDER BY state = 'idle', random() LIMIT 1
) session`

async function killSessions(
  { pool }: FragileGround,
  { load, settings, findings }: Pick<Tearing, 'load' | 'settings'> & { findings: Findings },
): Promise<void> {
  let ended = 0
  while (ended < settings.kills) {
    const { rows } = await pool.query<{ ended: boolean }>(kill_one)
    if (rows[0]?.ended) ended += 1
    if (ended % 4 === 0) await load.untilPaid(1)
  }
  findings.figures['sessions ended'] = ended
}

/** Only an outage that lasts longer than the store's patience may be heard of. */
function checkFaults({ findings }: Field, { load, settings }: Pick<Tearing, 'load' | 'settings'>): void {
  const faults = load.answered.filter(({ response }) => response.code === 'internal_error')
  const brief = settings.longest_down_ms === 0
  findings.expect(!brief || faults.length === 0, `${faults.length} requests were told of a brief outage`)
}

/** Whoever asks again is answered the same, byte for byte, also where it was told of a fault. */
async function checkAnswers({ children, findings }: Field, { answered, repeated }: Load): Promise<void> {
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
