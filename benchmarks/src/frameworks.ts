import { compareReads } from './reads-over-http.ts'
import type { Row } from './report.ts'
import { withFolder } from './scratch.ts'

/** `GET /payments/{id}` through our adapters, against what the bare framework does with the same read. */
export function frameworks(): Promise<Row[]> {
  return withFolder(async (folder) => [
    ...(await compareReads('Express', folder, 0.95)),
    ...(await compareReads('Fastify', folder, 0.95)),
  ])
}
