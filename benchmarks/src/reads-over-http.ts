import { join } from 'node:path'
import { Pool } from 'undici'
import { startChild } from './child.ts'
import { inParallel, median, perSecond, type Row, rateOf } from './report.ts'
import { withFolder } from './scratch.ts'

/** `GET /payments/{id}` against bare node:http that answers the same bytes after the same indexed read. */
export function readsOverHttp(): Promise<Row[]> {
  return withFolder(async (folder) => {
    const server = await startChild<{ engine: number; bare: number; secret_key: string; id: string }>(
      './reads-server.ts',
      [join(folder, 'reads.db')],
    )
    const { engine, bare, secret_key, id } = server.ready
    const getter = (port: number) => {
      const pool = new Pool(`http://127.0.0.1:${port}`, { connections: 32 })
      const request = {
        method: 'GET',
        path: `/v1/payments/${id}`,
        headers: { authorization: `Bearer ${secret_key}` },
      } as const
      return async () => {
        const answer = await pool.request(request)
        await answer.body.dump()
        if (answer.statusCode !== 200) throw new Error(`status ${answer.statusCode}`)
      }
    }
    const by_engine = getter(engine)
    const by_hand = getter(bare)
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
      { what: 'bare node:http, same bytes after the same read', figure: perSecond(median(read_by_hand)) },
      {
        what: 'GET /payments/{id} on SQLite',
        figure: perSecond(median(read_by_engine)),
        ratio: median(read_by_engine) / median(read_by_hand),
        goal: { at_least: 0.7 },
      },
    ]
  })
}
