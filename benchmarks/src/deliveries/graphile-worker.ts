import { type Logger as GraphileLogger, Logger, makeWorkerUtils, run } from 'graphile-worker'
import type { Contender, Ground } from './contender.ts'
import type { PostgresLog } from './delivery-log.ts'
import { hostRows } from './host-rows.ts'
import { type PeerEvent, peer, type Queue } from './peer.ts'

export const graphileWorkerAsItComes = (ground: Ground, log?: PostgresLog) => graphileWorker(ground, {}, log)

/** Jobs fetched 500 at a time, and their ends recorded together. */
export const graphileWorkerTuned = (ground: Ground, log?: PostgresLog) =>
  graphileWorker(ground, { localQueue: { size: 500 }, completeJobBatchDelay: 0, failJobBatchDelay: 0 }, log)

async function graphileWorker(ground: Ground, worker: object, log?: PostgresLog): Promise<Contender> {
  const { postgres: connectionString, name: schema, concurrency } = ground
  const logger: GraphileLogger = new Logger(() => () => {})
  const own = { connectionString, schema, maxPoolSize: concurrency + 5, concurrentJobs: concurrency, logger }
  const preset = { worker: { ...worker, ...own } }
  const utils = await makeWorkerUtils({ preset })
  await utils.migrate()
  const besideRow = await hostRows(ground, log)
  const queue: Queue = {
    fill: (events) => utils.addJobs(events.map((payload) => ({ identifier: 'post', payload }))),
    file: (event) =>
      besideRow(event.id, (client) =>
        client.query(`SELECT "${schema}".add_job('post', $1::json)`, [JSON.stringify(event)]),
      ),
    async start(post, ended) {
      const taskList = { post: (event: unknown) => post(event as PeerEvent) }
      const runner = await run({ preset, taskList, noHandleSignals: true })
      runner.events.on('job:success', ended)
    },
  }
  return peer(ground, queue, log)
}
