import { has_redis_server, redisServer } from '../../packages/webhooks/test/redis-server.ts'
import { checkBooks } from './processes/books.ts'
import { type Findings, printFindings, tally } from './processes/findings.ts'
import { openFleet } from './processes/fleet.ts'
import { seconds } from './processes/lanes.ts'
import { openDatabase } from './processes/postgres.ts'
import { refundPairs } from './processes/refund-pairs.ts'
import { sameKeys } from './processes/same-keys.ts'
import { settle } from './processes/settle.ts'
import { readNumbers } from './read-numbers.ts'

export interface ManyProcesses {
  processes: number
  /** Pairs of refunds that together exceed their payment, requested from two processes at the same time. */
  pairs: number
  /** Payments, each requested from several processes at the same time under one key. */
  payments: number
  workspaces: number
  /** The URL of the Redis through which dispatchers wake each other, if they do. */
  redis?: string
  seed: number
}

/** `--processes 8 --pairs 10000 --payments 10000 --seed 1`: once without Redis, and a tenth of it with Redis. */
export async function eightProcesses(options: string[]): Promise<{ violations: number }> {
  const asked = readNumbers(options, { processes: 8, pairs: 10_000, payments: 10_000, seed: 1 })
  const full = { ...asked, workspaces: 4 }
  console.log(`  ${full.processes} processes on one Postgres, seed ${full.seed}`)
  const alone = await manyProcesses(full)
  printFindings(alone)
  if (!has_redis_server) {
    console.log('  no redis-server is installed: not tried with Redis')
    return { violations: alone.violations.length }
  }
  console.log('  with Redis, a tenth of it')
  const tenth = { pairs: Math.ceil(full.pairs / 10), payments: Math.ceil(full.payments / 10) }
  const redis = await redisServer()
  const woken = await manyProcesses({ ...full, ...tenth, redis: redis.url })
  await redis.close()
  printFindings(woken)
  return { violations: alone.violations.length + woken.violations.length }
}

export async function manyProcesses(settings: ManyProcesses): Promise<Findings> {
  const fleet = await openFleet({ ...settings, database: await openDatabase() })
  const { children, findings } = fleet
  try {
    for (const child of children) await child.ask('work', null)
    const racing_s = await seconds(async () => {
      const [refunds, payments] = await Promise.all([
        refundPairs(fleet, settings.pairs),
        sameKeys(fleet, settings.payments),
      ])
      findings.figures[`${settings.pairs} pairs of refunds`] = tally(refunds)
      findings.figures[`${settings.payments} keys`] = tally(payments)
    })
    const settling_s = await seconds(() => settle(fleet))
    await checkBooks(fleet)
    findings.figures.seconds = `${racing_s} of requests, ${settling_s} until all was at rest`
    return findings
  } finally {
    await fleet.close()
  }
}
