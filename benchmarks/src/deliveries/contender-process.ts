import { cpus } from 'node:os'
import { endWhenTold } from '../child.ts'
import { sum } from '../report.ts'
import { bullmq } from './bullmq.ts'
import { type Ground, type OpenContender, wallClock } from './contender.ts'
import { eachAlone, postgresLog, sqliteLog } from './delivery-log.ts'
import { graphileWorkerAsItComes, graphileWorkerTuned } from './graphile-worker.ts'
import { pgBossTuned } from './pg-boss.ts'
import { onPostgres, onRedis, onSqlite } from './quittance.ts'

const contenders: Record<string, OpenContender> = {
  SQLite: onSqlite,
  Postgres: onPostgres,
  Redis: onRedis,
  'pg-boss': async (ground) => pgBossTuned(ground, await postgresLog(ground)),
  'graphile-worker': async (ground) => graphileWorkerAsItComes(ground, await postgresLog(ground, eachAlone)),
  'graphile-worker tuned': async (ground) => graphileWorkerTuned(ground, await postgresLog(ground)),
  bullmq: async (ground) => bullmq(ground, await sqliteLog(ground)),
  'pg-boss, no log': (ground) => pgBossTuned(ground),
  'graphile-worker, no log': (ground) => graphileWorkerAsItComes(ground),
  'graphile-worker tuned, no log': (ground) => graphileWorkerTuned(ground),
  'bullmq, no log': (ground) => bullmq(ground),
}

/** What the process is told to do once it is ready. */
export type Order = { fill: number } | { drain: number } | { trickle: number; per_second: number }

export interface Drained {
  elapsed_ms: number
  /** CPU time of the whole machine, because work may move from the process to its database server. */
  cpu_ms: number
}

/** Ids of the deliveries filed, and when each was committed. */
export type Filed = [string, number][]

const [name = '', ground = '{}'] = process.argv.slice(2)
const open = contenders[name]
if (open === undefined) throw new Error(`there is no contender ${name}`)
const contender = await open(JSON.parse(ground) as Ground)
process.on('message', async (order: Order) => {
  process.send?.(await obey(order))
})
endWhenTold()
process.send?.('ready')

async function obey(order: Order): Promise<Drained | Filed | 'filled'> {
  if ('drain' in order) return drain(order.drain)
  if ('trickle' in order) return trickle(order)
  await contender.fill(order.fill)
  return 'filled'
}

async function drain(count: number): Promise<Drained> {
  await contender.fill(count)
  const before_ms = busy_ms()
  const started = performance.now()
  await contender.drain()
  const elapsed_ms = performance.now() - started
  return { elapsed_ms, cpu_ms: busy_ms() - before_ms }
}

/** How long the cores of this machine have been busy. */
function busy_ms(): number {
  return sum(cpus().map(({ times }) => times.user + times.nice + times.sys + times.irq))
}

async function trickle({
  trickle: count,
  per_second,
}: {
  trickle: number
  per_second: number
}): Promise<Filed> {
  await contender.start()
  const filed: Promise<[string, number]>[] = []
  const started = performance.now()
  while (filed.length < count) {
    const due_ms = started + (filed.length * 1000) / per_second - performance.now()
    if (due_ms > 0) await new Promise((resolve) => setTimeout(resolve, due_ms))
    filed.push(contender.file().then((id) => [id, wallClock()]))
  }
  return Promise.all(filed)
}
