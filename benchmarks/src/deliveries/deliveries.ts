import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { type Child, startChild } from '../child.ts'
import { withPostgres } from '../postgres-server.ts'
import { withRedis } from '../redis-server.ts'
import { type Goal, perSecond, quantile, type Row, sum } from '../report.ts'
import { withFolder } from '../scratch.ts'
import type { Ground } from './contender.ts'
import type { Drained, Filed } from './contender-process.ts'
import { withReceiver } from './with-receiver.ts'

/** Deliveries in each of the rounds. */
const count = 10_000
const rounds = 2

/** Four seconds, the first of which only warms up; by turns, because one bad second of the machine is a third of a round. */
const trickle = { trickle: 800, per_second: 200 }
const warm_up = 200
const trickle_rounds = 4

const on_postgres = ['graphile-worker', 'graphile-worker tuned', 'pg-boss']
const tuned = ['graphile-worker tuned', 'pg-boss', 'bullmq']
const peers = [...on_postgres, 'bullmq']
/** The queue alone, for comparison: its jobs post and record nothing. */
const without_log = ['graphile-worker, no log', 'graphile-worker tuned, no log', 'pg-boss, no log']

/**
 * Signed posts of 1.2 KB to a receiver on this machine, each kept by its sender until it has a response: ours on every
 * store, and what a team would use instead, side by side, with everything synced, each in its own process. All do the same
 * job: the endpoint is read before each attempt, and the outcome of the attempt is committed.
 */
export function deliveries(): Promise<Row[]> {
  return withFolder((folder) =>
    withPostgres((postgres) =>
      withRedis((redis) =>
        withReceiver(async (url, receiver) => {
          const names = ['SQLite', 'Postgres', ...on_postgres]
          const alone = [...without_log]
          if (redis === null) console.warn('no redis-server: the queue on Redis and BullMQ are left out')
          else {
            names.push('Redis', 'bullmq')
            alone.push('bullmq, no log')
          }
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
          for (const concurrency of [10, 50])
            rows.push(...(await drainAll([...names, ...alone], concurrency, open)))
          rows.push(...(await trickleAll(names, receiver, open)))
          return rows
        }),
      ),
    ),
  )
}

type Open = (name: string, concurrency: number) => Promise<Child<string>>

async function drainAll(names: readonly string[], concurrency: number, open: Open): Promise<Row[]> {
  const results = new Map<string, Drained[]>(names.map((name) => [name, []]))
  for (let round = 0; round < rounds; round += 1) {
    for (const name of names) {
      const contender = await open(name, concurrency)
      results.get(name)?.push(await contender.ask<Drained>({ drain: count }))
      await contender.stop()
    }
  }
  const rates = new Map<string, number>()
  const seconds = new Map<string, number>()
  for (const [name, drained] of results) {
    rates.set(name, (rounds * count * 1000) / sum(drained.map(({ elapsed_ms }) => elapsed_ms)))
    seconds.set(name, sum(drained.map(({ cpu_ms }) => cpu_ms)) / (rounds * count))
  }
  const at = `${concurrency} at a time`
  const on_sqlite = concurrency === 10 ? 1.6 : 2
  return [
    ...figures(rates, `drained, ${at}`, perSecond),
    ...figures(seconds, `CPU for 1,000, ${at}`, (value) => `${value.toFixed(2)} s`),
    ...against(rates, [
      {
        ours: 'SQLite',
        peers: tuned,
        what: `drained against the best tuned peer, ${at}`,
        at_least: on_sqlite,
      },
      { ours: 'Postgres', peers: tuned, what: `drained against the best tuned peer, ${at}`, at_least: 1.1 },
      { ours: 'Postgres', peers: ['graphile-worker'], what: `against graphile-worker, ${at}`, at_least: 3 },
      { ours: 'Redis', peers: ['bullmq'], what: `against BullMQ, ${at}`, at_least: 1.2 },
    ]),
    ...against(seconds, [
      { ours: 'SQLite', peers: tuned, what: `CPU against the best tuned peer, ${at}`, at_most: 0.5 },
      { ours: 'Postgres', peers: tuned, what: `CPU against the best tuned peer, ${at}`, at_most: 1 },
    ]),
  ]
}

async function trickleAll(names: readonly string[], receiver: Child<unknown>, open: Open): Promise<Row[]> {
  const waited = new Map<string, number[]>(names.map((name) => [name, []]))
  for (let round = 0; round < trickle_rounds; round += 1) {
    for (const name of names) {
      const contender = await open(name, 10)
      await receiver.ask('forget')
      const filed = await contender.ask<Filed>(trickle)
      const came = await allOf(receiver, filed.length)
      await contender.stop()
      for (const [id, at] of filed.slice(warm_up))
        waited.get(name)?.push((came.get(id) ?? Number.POSITIVE_INFINITY) - at)
    }
  }
  const at = (share: number) => new Map([...waited].map(([name, ms]) => [name, quantile(ms, share)]))
  const rows = (of: ReadonlyMap<string, number>, what: string) => [
    ...figures(of, `from commit to the receiver, ${what}`, (value) => `${value.toFixed(2)} ms`),
    ...against(of, [
      { ours: 'SQLite', peers, what: `${what} against the best peer`, at_most: 0.5 },
      { ours: 'Postgres', peers, what: `${what} against the best peer`, at_most: 1 },
      { ours: 'Redis', peers, what: `${what} against the best peer`, at_most: 1 },
    ]),
  ]
  return [...rows(at(0.5), 'p50'), ...rows(at(0.99), 'p99')]
}

function figures(values: ReadonlyMap<string, number>, what: string, show: (value: number) => string): Row[] {
  return [...values].map(([name, value]) => ({ what: `${name}: ${what}`, figure: show(value) }))
}

type Comparison = { ours: string; peers: readonly string[]; what: string } & Goal

/** The best peer is that with the highest value if the goal is `at_least`, with the lowest if it is `at_most`. */
function against(values: ReadonlyMap<string, number>, comparisons: readonly Comparison[]): Row[] {
  return comparisons.flatMap(({ ours, peers: rivals, what, ...goal }) => {
    const own = values.get(ours)
    const theirs = rivals.flatMap((name) => values.get(name) ?? [])
    if (own === undefined || theirs.length === 0) return []
    const best = 'at_least' in goal ? Math.max(...theirs) : Math.min(...theirs)
    return [{ what: `${ours}: ${what}`, figure: '', ratio: own / best, goal }]
  })
}

/** Resolves, once all events have come, to when each came first. */
async function allOf(receiver: Child<unknown>, expected: number): Promise<Map<string, number>> {
  const came = new Map<string, number>()
  const end_ms = performance.now() + 30_000
  while (came.size < expected && performance.now() < end_ms) {
    for (const [id, at] of await receiver.ask<Filed>('tell')) if (!came.has(id)) came.set(id, at)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return came
}
