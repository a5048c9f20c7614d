import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { type Child, startChild } from '../child.ts'
import { withPostgres } from '../postgres-server.ts'
import { withRedis } from '../redis-server.ts'
import { type Goal, perSecond, quantile, type Row, sum } from '../report.ts'
import { withFolder } from '../scratch.ts'
import type { Ground } from './contender.ts'
import type { Drained, Filed } from './contender-process.ts'

const count = 10_000
const rounds = 2

/** At 200 events a second for five seconds. */
const trickle = { trickle: 1_000, per_second: 200 }

const on_postgres = ['graphile-worker', 'graphile-worker tuned', 'pg-boss']
const tuned = ['graphile-worker tuned', 'pg-boss', 'bullmq']

/**
 * Signed posts of 1.2 KB to a receiver on this machine, each kept by whoever sends it until it is answered: ours on
 * every store, and what a team would take instead, side by side, with everything synced. Each in a process of its
 * own. Ours are measured until the outcome of every attempt is committed, the peers until the last answer is in.
 */
export function deliveries(): Promise<Row[]> {
  return withFolder((folder) =>
    withPostgres((postgres) =>
      withRedis(async (redis) => {
        const receiver = await startChild<{ port: number }>('./deliveries/receiver.ts', [])
        const url = `http://127.0.0.1:${receiver.ready.port}/hook`
        const names = ['SQLite', 'Postgres', ...on_postgres]
        if (redis === null) console.warn('no redis-server: the queue on Redis and BullMQ are left out')
        else names.push('Redis', 'bullmq')
        const open = (name: string, concurrency: number) => {
          const own = `b${randomUUID().replaceAll('-', '')}`
          const ground: Ground = {
            file: join(folder, `${own}.db`),
            postgres,
            redis: redis ?? '',
            name: own,
            url,
            concurrency,
          }
          return startChild<string>('./deliveries/contender-process.ts', [name, JSON.stringify(ground)])
        }
        const rows: Row[] = []
        for (const concurrency of [10, 50]) rows.push(...(await drainAll(names, concurrency, open)))
        rows.push(...(await trickleAll(names, receiver, open)))
        await receiver.stop()
        return rows
      }),
    ),
  )
}

type Open = (name: string, concurrency: number) => Promise<Child<string>>

async function drainAll(names: readonly string[], concurrency: number, open: Open): Promise<Row[]> {
  const results = new Map<string, Drained[]>(names.map((name) => [name, []]))
  for (let round = 0; round < rounds; round += 1) {
    for (const name of names) {
      const contender = await open(name, concurrency)
      results.get(name)?.push(await contender.ask<Drained>({ drain: count / rounds }))
      await contender.stop()
    }
  }
  const rate = (name: string) =>
    (count * 1000) / sum((results.get(name) ?? []).map(({ elapsed_ms }) => elapsed_ms))
  const cpu = (name: string) => sum((results.get(name) ?? []).map(({ cpu_ms }) => cpu_ms)) / count
  const best = Math.max(...tuned.filter((name) => names.includes(name)).map(rate))
  const least_cpu = Math.min(...tuned.filter((name) => names.includes(name)).map(cpu))
  const goals: Record<string, [number, number][]> = {
    SQLite: [[best, concurrency === 10 ? 1.6 : 2]],
    Postgres: [
      [best, 1.1],
      [rate('graphile-worker'), 3],
    ],
    Redis: [[rate('bullmq'), 1.2]],
  }
  const most_cpu: Record<string, number> = { SQLite: 0.5, Postgres: 1 }
  const rows: Row[] = []
  for (const name of names) {
    const what = `${name}: drained, ${concurrency} at a time`
    const figure = perSecond(rate(name))
    const compared = goals[name]?.map(([peer, at_least]) => ({
      ratio: rate(name) / peer,
      goal: { at_least },
    })) ?? [{}]
    rows.push(...compared.map((with_goal) => ({ what, figure, ...with_goal })))
    const goal: Goal | undefined = name in most_cpu ? { at_most: most_cpu[name] ?? 1 } : undefined
    const seconds = { what: `${name}: CPU for 1,000`, figure: `${cpu(name).toFixed(2)} s` }
    rows.push(goal === undefined ? seconds : { ...seconds, ratio: cpu(name) / least_cpu, goal })
  }
  return rows
}

async function trickleAll(names: readonly string[], receiver: Child<unknown>, open: Open): Promise<Row[]> {
  const latencies = new Map<string, [number, number]>()
  for (const name of names) {
    const contender = await open(name, 10)
    await receiver.ask('forget')
    const filed = await contender.ask<Filed>(trickle)
    const came = await allOf(receiver, filed.length)
    await contender.stop()
    const waited_ms = filed.map(([id, at]) => (came.get(id) ?? Number.NaN) - at)
    latencies.set(name, [quantile(waited_ms, 0.5), quantile(waited_ms, 0.99)])
  }
  const peers = names.filter((name) => name === name.toLowerCase())
  return names.flatMap((name) => {
    const of = latencies.get(name) ?? [0, 0]
    return ([0, 1] as const).map((which) => {
      const what = `${name}: from commit to the receiver, ${which === 0 ? 'p50' : 'p99'}`
      const figure = `${of[which].toFixed(1)} ms`
      if (peers.includes(name)) return { what, figure }
      const best = Math.min(...peers.map((peer) => latencies.get(peer)?.[which] ?? Number.POSITIVE_INFINITY))
      return { what, figure, ratio: of[which] / best, goal: { at_most: name === 'SQLite' ? 0.5 : 1 } }
    })
  })
}

/** When each event came first, once all have. */
async function allOf(receiver: Child<unknown>, expected: number): Promise<Map<string, number>> {
  const came = new Map<string, number>()
  const end_ms = performance.now() + 30_000
  while (came.size < expected && performance.now() < end_ms) {
    for (const [id, at] of await receiver.ask<Filed>('tell')) if (!came.has(id)) came.set(id, at)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return came
}
