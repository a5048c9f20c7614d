import { join } from 'node:path'
import { Pool } from 'undici'
import { startChild } from './child.ts'
import type { Framework, ReadsServer } from './reads-server.ts'
import { inParallel, median, perSecond, type Row, rateOf } from './report.ts'
import { withFolder } from './scratch.ts'

/** `GET /payments/{id}` against bare node:http that sends the same bytes after the same indexed read. */
export function readsOverHttp(): Promise<Row[]> {
  return withFolder(async (folder) => {
    const { bare, engine } = await readsPerSecond('node:http', folder)
    return [
      { what: 'bare node:http, same bytes after the same read', figure: perSecond(bare) },
      {
        what: 'GET /payments/{id} on SQLite over node:http',
        figure: perSecond(engine),
        ratio: engine / bare,
        goal: { at_least: 0.7 },
      },
    ]
  })
}

/** Reads of the engine mounted on a framework, and of the framework's own handlers that read the row or call the engine. */
export async function readsPerSecond(framework: Framework, folder: string) {
  const filename = join(folder, `${framework.replace(':', '-')}.db`)
  const server = await startChild<ReadsServer>('./reads-server.ts', [framework, filename])
  const { ready } = server
  const readers = [ready.bare, ready.asking, ready.engine].map((port) => {
    return { read: getter(ready, port), rates: [] as number[] }
  })
  const [answer, ...others] = await Promise.all(readers.map(({ read }) => read()))
  if (others.some((other) => other !== answer)) throw new Error('they answer different bytes')
  for (const { read } of readers) await inParallel(5_000, 32, read)
  for (let round = 0; round < 5; round += 1)
    for (const { read, rates } of readers) rates.push(await rateOf(1_000, 32, read))
  await server.stop()
  const [bare = 0, asking = 0, engine = 0] = readers.map(({ rates }) => median(rates))
  return { bare, asking, engine }
}

/** Resolves to the body. */
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
