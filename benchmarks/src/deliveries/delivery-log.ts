import Database from 'better-sqlite3'
import pg from 'pg'
import type { Ground } from './contender.ts'

/** Where a delivery goes. */
export interface Target {
  url: string
  secret: string
}

/** The outcome of an attempt. */
export interface Outcome {
  id: string
  started_at: string
  response_status: number
}

/**
 * What a team stores for its webhooks beside a peer's queue, which forgets finished jobs: an endpoint that can be disabled,
 * and a row for each delivery that says how its attempts ended.
 */
export interface DeliveryLog {
  /** Writes the rows of deliveries that are about to be queued. */
  file(ids: readonly string[]): Promise<unknown>
  /** The present endpoint, read before each attempt: none begins once it is disabled. */
  target(): Promise<Target>
  /** Commits the outcome of an attempt. */
  record(outcome: Outcome): Promise<void>
}

const columns = `id text PRIMARY KEY, endpoint text NOT NULL, status text NOT NULL, attempt_count integer NOT NULL,
  created_at text NOT NULL, last_attempt_at text, next_attempt_at text, last_response_status integer, last_error text`

const endpoint = 'we_benchmark'

/** For queues in Postgres: a delivery is filed in the transaction of its job. */
export interface PostgresLog extends DeliveryLog {
  fileIn(client: pg.ClientBase, ids: readonly string[]): Promise<unknown>
}

/** With an untuned queue each job has its own statements; with a tuned one, calls made at the same time share one statement. */
export async function postgresLog(
  { postgres, name, url }: Ground,
  grouping: Grouping = together,
): Promise<PostgresLog> {
  const pool = new pg.Pool({ connectionString: postgres })
  const table = (of: string) => `"${name}".${of}`
  await pool.query(`CREATE SCHEMA IF NOT EXISTS "${name}"`)
  await pool.query(`CREATE TABLE ${table('logged_endpoints')} (
    id text PRIMARY KEY, url text NOT NULL, secret text NOT NULL, enabled boolean NOT NULL, last_success_at text)`)
  await pool.query(`CREATE TABLE ${table('logged_deliveries')} (${columns})`)
  await pool.query(`CREATE INDEX ON ${table('logged_deliveries')} (endpoint, status)`)
  const own = [endpoint, url, 'whsec_benchmark']
  await pool.query(`INSERT INTO ${table('logged_endpoints')} VALUES ($1, $2, $3, true)`, own)
  const file = named(
    'file',
    `INSERT INTO ${table('logged_deliveries')} (id, endpoint, status, attempt_count, created_at, next_attempt_at)
    SELECT id, $2, 'pending', 0, $3, $3 FROM unnest($1::text[]) id`,
  )
  const find = named('find', `SELECT url, secret FROM ${table('logged_endpoints')} WHERE id = $1 AND enabled`)
  const record = named(
    'record',
    `WITH ended AS (
      SELECT * FROM unnest($1::text[], $2::text[], $3::integer[]) e (id, started_at, response_status)
    ), quiet AS (
      UPDATE ${table('logged_endpoints')} SET last_success_at = (SELECT max(started_at) FROM ended) WHERE id = $4
    )
    UPDATE ${table('logged_deliveries')} d SET status = 'succeeded', attempt_count = d.attempt_count + 1,
      last_attempt_at = e.started_at, next_attempt_at = NULL, last_response_status = e.response_status
    FROM ended e WHERE d.id = e.id`,
  )
  const fileIn = (client: pg.ClientBase | pg.Pool, ids: readonly string[]) =>
    client.query(file([ids, endpoint, new Date().toISOString()]))
  const found = grouping<null, Target>(async (asked) => {
    const { rows } = await pool.query<Target>(find([endpoint]))
    return asked.map(() => only(rows))
  })
  return {
    file: (ids) => fileIn(pool, ids),
    fileIn,
    target: () => found(null),
    record: grouping<Outcome, void>(async (ended) => {
      const of = <Key extends keyof Outcome>(key: Key) => ended.map((outcome) => outcome[key])
      await pool.query(record([of('id'), of('started_at'), of('response_status'), endpoint]))
      return []
    }),
  }
}

/** For queues elsewhere: in a file, synced to the disk, like our own rows when wake-ups go through Redis. */
export async function sqliteLog({ file: filename, url }: Ground): Promise<DeliveryLog> {
  const db = new Database(filename)
  db.pragma('journal_mode = WAL')
  db.pragma('synchronous = FULL')
  db.exec(
    `CREATE TABLE endpoints (id text PRIMARY KEY, url text, secret text, enabled integer, last_success_at text)`,
  )
  db.exec(`CREATE TABLE deliveries (${columns})`)
  db.exec('CREATE INDEX by_endpoint ON deliveries (endpoint, status)')
  db.prepare('INSERT INTO endpoints VALUES (?, ?, ?, 1, NULL)').run(endpoint, url, 'whsec_benchmark')
  const file = db.prepare(`INSERT INTO deliveries VALUES (?, ?, 'pending', 0, ?, NULL, ?, NULL, NULL)`)
  const find = db.prepare<[string], Target>('SELECT url, secret FROM endpoints WHERE id = ? AND enabled = 1')
  const record = db.prepare(`UPDATE deliveries SET status = 'succeeded', attempt_count = attempt_count + 1,
    last_attempt_at = ?, next_attempt_at = NULL, last_response_status = ? WHERE id = ?`)
  const note = db.prepare('UPDATE endpoints SET last_success_at = ? WHERE id = ?')
  const fileAll = db.transaction((ids: readonly string[]) => {
    const at = new Date().toISOString()
    for (const id of ids) file.run(id, endpoint, at, at)
  })
  const recordAll = db.transaction((ended: readonly Outcome[]) => {
    for (const { id, started_at, response_status } of ended) record.run(started_at, response_status, id)
    note.run(ended.at(-1)?.started_at, endpoint)
  })
  return {
    file: async (ids) => fileAll.immediate(ids),
    target: async () => only(find.all(endpoint)),
    record: together<Outcome, void>(async (ended) => {
      recordAll.immediate(ended)
      return []
    }),
  }
}

/** A statement that each connection prepares once. */
function named(name: string, text: string): (values: unknown[]) => pg.QueryConfig {
  return (values) => ({ name, text, values })
}

function only([found]: readonly Target[]): Target {
  if (found === undefined) throw new Error('the endpoint is disabled')
  return found
}

type Grouping = <Asked, Given>(
  serve: (all: readonly Asked[]) => Promise<readonly Given[]>,
) => (one: Asked) => Promise<Given>

export const eachAlone: Grouping = (serve) => async (asked) => {
  const [given] = await serve([asked])
  return given as Awaited<ReturnType<typeof serve>>[number]
}

/** Serves calls of one turn of the event loop together, and then, together, those that came meanwhile. */
function together<Asked, Given>(
  serve: (all: readonly Asked[]) => Promise<readonly Given[]>,
): (one: Asked) => Promise<Given> {
  let waiting: { asked: Asked; given: PromiseWithResolvers<Given> }[] = []
  let isServing = false
  const serveAll = async () => {
    isServing = true
    // Responses that come in one turn of the event loop are recorded together.
    await new Promise(setImmediate)
    while (waiting.length > 0) {
      const served = waiting
      waiting = []
      try {
        const all = await serve(served.map(({ asked }) => asked))
        for (const [index, { given }] of served.entries()) given.resolve(all[index] as Given)
      } catch (fault) {
        for (const { given } of served) given.reject(fault)
      }
    }
    isServing = false
  }
  return (asked) => {
    const given = Promise.withResolvers<Given>()
    waiting.push({ asked, given })
    if (!isServing) void serveAll()
    return given.promise
  }
}
