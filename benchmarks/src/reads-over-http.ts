import { join } from 'node:path'
import { Pool } from 'undici'
import { startChild } from './child.ts'
import type { Framework, ReadsServer } from './reads-server.ts'
import { inParallel, median, perSecond, type Row, rateOf } from './report.ts'
import { withFolder } from './scratch.ts'

/** `GET /payments/{id}` against bare node:http that answers the same bytes after the same indexed read. */
export function readsOverHttp(): Promise<Row[]> {
  return withFolder((folder) => compareReads('node:http', folder, 0.7))
}

/** The same on a framework: the engine mounted there, against a handler of the framework's own. */
export async function compareReads(framework: Framework, folder: string, at_least: number): Promise<Row[]> {
  const filename = join(folder, `${framework.replace(':', '-')}.db`)
  const server = await startChild<ReadsServer>('./reads-server.ts', [framework, filename])
  const by_engine = getter(server.ready, server.ready.engine)
  const by_hand = getter(server.ready, server.ready.bare)
  if ((await by_engine()) !== (await by_hand())) throw new Error('the two answer different bytes')
  await inParallel(5_000, 32, by_engine)
  await inParallel(5_000, 32, by_hand)
  const read_by_engine: number[] = []
  const read_by_hand: number[] = []
  for (let round = 0; round < 5; round += 1) {
    read_by_hand.push(await rateOf(1_000, 32, by_hand))
    read_by_engine.push(await rateOf(1_000, 32, by_engine))
  }
  await server.stop()
  return [
    {
      what: `bare ${framework}, same bytes after the same read`,
      figure: perSecond(median(read_by_hand)),
    },
    {
      what: `GET /payments/{id} on SQLite over ${framework}`,
      figure: perSecond(median(read_by_engine)),
      ratio: median(read_by_engine) / median(read_by_hand),
      goal: { at_least },
    },
  ]
}

/** Gives back the body. */
function getter({ secret_key, id }: ReadsServer, port: number): () => Promise<string> {
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: 32 })
  const request = {
    method: 'GET',
    path: `/v1/payments/${id}`,
    headers: { authorization: `Bearer ${secret_key}` },
  } as const
  return async () => {
    const answer = await pool.request(request)
    const body = await answer.body.text()
    if (answer.statusCode !== 200) throw new Error(`status ${answer.statusCode}`)
    return body
  }
}
