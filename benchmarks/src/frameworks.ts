import { readsPerSecond } from './reads-over-http.ts'
import { perSecond, type Row } from './report.ts'
import { withFolder } from './scratch.ts'

/**
 * `GET /payments/{id}` through our adapters, against a handler of the bare framework that has the engine check the key and
 * read, as the adapters do.
 */
export function frameworks(): Promise<Row[]> {
  return withFolder(async (folder) => {
    const rows: Row[] = []
    for (const framework of ['Express', 'Fastify'] as const) {
      const { bare, asking, engine } = await readsPerSecond(framework, folder)
      rows.push(
        { what: `bare ${framework}, a handler that reads the row`, figure: perSecond(bare) },
        { what: `bare ${framework}, a handler that asks the engine`, figure: perSecond(asking) },
        {
          what: `GET /payments/{id} on SQLite over ${framework}`,
          figure: perSecond(engine),
          ratio: engine / asking,
          goal: { at_least: 0.95 },
        },
        { what: 'against the handler that reads the row', figure: '', ratio: engine / bare },
      )
    }
    return rows
  })
}
