import { ok, type Store } from '@quittance/core'
import type { PoolClient } from 'pg'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { commit, find, here, seed, unit } from '../../testing/src/store/opened.ts'
import { sampleRow } from '../../testing/src/store/sample-row.ts'
import { postgresStore } from '../src/postgres-store.ts'
import { type CuttingProxy, cuttingProxy, type Fate } from './cutting-proxy.ts'
import { testDatabase } from './database.ts'

const database = testDatabase()

describe('a COMMIT whose answer is lost', () => {
  let proxy: CuttingProxy
  let schema: string
  let store: Store
  let runs: number
  beforeEach(async () => {
    runs = 0
    schema = database().schema()
    proxy = await cuttingProxy(database().connectionString)
    store = postgresStore({ connectionString: proxy.connectionString, schema })
    await store.migrate()
    await seed(store, here, [['cursors', sampleRow('cursors', here, 'counter', { value: '0' })]])
  })
  afterEach(async () => {
    await store.close()
    await proxy.close()
    await database().drop(schema)
  })

  /** Counts, and leaves a row for each time the work has run; the first time, COMMIT meets its fate. */
  const count = (fate: Fate) =>
    unit(store, here, async (tx) => {
      runs += 1
      const row = await tx.cursors.lock('counter')
      await tx.customers.insert(sampleRow('customers', here, `run ${runs}`))
      await tx.cursors.update({
        ...sampleRow('cursors', here, 'counter'),
        value: `${Number(row?.value) + 1}`,
      })
      if (runs === 1) proxy.cutNext(fate)
      return ok(`run ${runs}`)
    })

  const committed = async () => {
    const rows = await store.read(here, (all) => all.customers.page({ where: {}, limit: 9 }))
    const counter = await store.read(here, (all) => all.cursors.get('counter'))
    return { rows: rows.map(({ id }) => id), counter: counter?.value }
  }

  it('is not repeated when it has happened', async () => {
    const result = await count('lose answer')
    expect(result.isOk() && result.value).toBe('run 1')
    expect(await committed()).toEqual({ rows: ['run 1'], counter: '1' })
  })

  it('is not repeated either where only the host has written', async () => {
    const result = await unit(store, here, async (tx) => {
      runs += 1
      await (tx.native as PoolClient).query(`UPDATE "${schema}".cursors SET value = value::int + 1`)
      if (runs === 1) proxy.cutNext('lose answer')
      return ok(`run ${runs}`)
    })
    expect(result.isOk() && result.value).toBe('run 1')
    expect(await committed()).toEqual({ rows: [], counter: '1' })
  })

  // While a backup holds a snapshot, an update passes all versions of its row.
  it('is counted in another row after a thousand of its connection', async () => {
    for (let commits = 0; commits < 1_100; commits += 1)
      await commit(store, here, async (tx) => {
        await tx.customers.lock('nobody')
        await tx.customers.delete('nobody')
      })
    const { rows } = await database().pool.query(`SELECT commits FROM "${schema}".commit_markers`)
    expect(rows.map(({ commits }) => Number(commits))).toEqual([expect.toSatisfy((many) => many < 1_000)])
    expect((await count('lose answer')).isOk()).toBe(true)
    expect(await committed()).toEqual({ rows: ['run 1'], counter: '1' })
  })

  it('is repeated from the start of the work when it never arrived', async () => {
    const result = await count('lose request')
    expect(result.isOk() && result.value).toBe('run 2')
    expect(await committed()).toEqual({ rows: ['run 2'], counter: '1' })
  })

  it('fails when it arrives after it was asked for, and the work has run again', async () => {
    // What a unit without a lock writes: nothing of it is at the server when its connection is lost.
    const result = await unit(store, here, async (tx) => {
      runs += 1
      await tx.customers.insert(sampleRow('customers', here, `run ${runs}`))
      if (runs === 1) proxy.cutNext('hold request')
      return ok(`run ${runs}`)
    })
    expect(result.isOk() && result.value).toBe('run 2')
    await proxy.deliver()
    expect(await committed()).toEqual({ rows: ['run 2'], counter: '0' })
  })

  // As while a slow disk keeps the COMMIT: a question waits for five seconds.
  it('is asked about again where its row is locked for longer than a question waits', async () => {
    const holder = await database().pool.connect()
    const result = unit(store, here, async (tx) => {
      runs += 1
      await tx.customers.insert(sampleRow('customers', here, `run ${runs}`))
      if (runs === 1) {
        await holder.query(`BEGIN; SELECT FROM "${schema}".commit_markers FOR UPDATE`)
        proxy.cutNext('lose request')
      }
      return ok(`run ${runs}`)
    })
    const asked = new Set<string>()
    const waiting = async () => {
      const { rows } = await database().pool.query<{ since: string }>(
        `SELECT query_start::text AS since FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      )
      for (const { since } of rows) asked.add(since)
      return asked.size
    }
    await Promise.race([result, expect.poll(waiting).toBe(2)]).finally(async () => {
      await holder.query('ROLLBACK')
      holder.release()
    })
    expect((await result).isOk()).toBe(true)
    expect((await committed()).rows).toEqual(['run 2'])
  })

  it('is a clear fault when the database cannot be asked either', async () => {
    const broken = unit(store, here, async (tx) => {
      runs += 1
      await tx.customers.insert(sampleRow('customers', here, 'unknown'))
      proxy.refuse()
      proxy.cutNext('lose request')
      return ok(undefined)
    })
    await expect(broken).rejects.toThrow('could not be asked whether')
    expect(runs).toBe(1)
  })

  // The work would have run twice.
  it('is a clear fault where the row that tells what became of it has been deleted meanwhile', async () => {
    const broken = unit(store, here, async (tx) => {
      runs += 1
      await tx.customers.insert(sampleRow('customers', here, 'unknown'))
      await database().pool.query(`DELETE FROM "${schema}".commit_markers`)
      proxy.cutNext('lose answer')
      return ok(undefined)
    })
    await expect(broken).rejects.toThrow('could not be asked whether')
    expect(runs).toBe(1)
  })

  // Each connection leaves one behind.
  it('is counted in a row that is deleted once its connection has not used it for a day', async () => {
    const { pool } = database()
    const markers = `"${schema}".commit_markers`
    const namesOf = async (where: string) =>
      (await pool.query(`SELECT connection FROM ${markers} WHERE ${where}`)).rows.map(
        ({ connection }) => connection,
      )
    const write = () => commit(store, here, async (tx) => tx.customers.delete('nobody'))
    await write()
    await pool.query(`INSERT INTO ${markers} (connection, commits, used_at) VALUES ('unused', 0, now())`)
    await pool.query(`UPDATE ${markers} SET used_at = now() - interval '25 hours'`)
    await write()
    expect(await namesOf(`used_at < now() - interval '1 hour'`)).toEqual(['unused'])
    await pool.query(
      `INSERT INTO ${markers} (connection, commits, used_at) VALUES ('used', 0, now() - interval '23 hours')`,
    )
    // One in a hundred new ones looks for what is old. A connection whose row is gone has a new one after its next commit.
    for (let made = 0; made < 100; made += 1) {
      await pool.query(`DELETE FROM ${markers} WHERE connection NOT IN ('unused', 'used')`)
      await write()
      await write()
    }
    expect(await namesOf(`connection IN ('unused', 'used')`)).toEqual(['used'])
  })

  it('is asked about also where the store is being closed, which waits for the unit', async () => {
    let closing: Promise<void> | undefined
    const result = await unit(store, here, async (tx) => {
      await tx.customers.insert(sampleRow('customers', here, 'kept'))
      closing = store.close()
      proxy.cutNext('lose answer')
      return ok('kept')
    })
    expect(result.isOk() && result.value).toBe('kept')
    await closing
  })

  it('is asked about on the next connection also for the second unit of a connection, and the third', async () => {
    for (const name of ['first', 'second'])
      await commit(store, here, async (tx) => tx.customers.insert(sampleRow('customers', here, name)))
    await count('lose answer')
    await commit(store, here, async (tx) => tx.customers.insert(sampleRow('customers', here, 'third')))
    expect(await committed()).toEqual({ rows: ['third', 'second', 'run 1', 'first'], counter: '1' })
  })

  it('is asked about also on a connection whose row another process had deleted as unused', async () => {
    const insert = (id: string) =>
      commit(store, here, async (tx) => tx.customers.insert(sampleRow('customers', here, id)))
    await insert('first')
    await database().pool.query(`DELETE FROM "${schema}".commit_markers`)
    await insert('second')
    expect((await count('lose answer')).isOk()).toBe(true)
    expect(await committed()).toEqual({ rows: ['second', 'run 1', 'first'], counter: '1' })
  })

  // Every change on such a connection failed until the process was started again.
  it('is made on another connection where a pooler has led this one to a standby that lacks its last', async () => {
    const insert = (id: string) =>
      commit(store, here, async (tx) => tx.customers.insert(sampleRow('customers', here, id)))
    await insert('first')
    await database().pool.query(`UPDATE "${schema}".commit_markers SET commits = commits - 1`)
    await insert('second')
    expect((await committed()).rows).toEqual(['second', 'first'])
  })
})

describe('a unit of work', () => {
  it('is tried again until Postgres is back, be it a second later', async () => {
    const schema = database().schema()
    const proxy = await cuttingProxy(database().connectionString)
    const store = postgresStore({ connectionString: proxy.connectionString, schema })
    await store.migrate()
    proxy.sever()
    const written = commit(store, here, async (tx) =>
      tx.customers.insert(sampleRow('customers', here, 'late')),
    )
    await Promise.race([written, database().pool.query('SELECT pg_sleep(1)')])
    expect(proxy.severed).toBeGreaterThan(1)
    proxy.mend()
    await written
    expect(await find(store, here, 'customers', 'late')).toBeDefined()
    await store.close()
    await proxy.close()
    await database().drop(schema)
  })

  it('that reads once and writes three rows takes two trips', async () => {
    const schema = database().schema()
    const proxy = await cuttingProxy(database().connectionString)
    const store = postgresStore({ connectionString: proxy.connectionString, schema })
    await store.migrate()
    const work = (run: number) =>
      commit(store, here, async (tx) => {
        await tx.payments.lock('pay')
        for (const name of ['a', 'b', 'c'])
          await tx.customers.insert(sampleRow('customers', here, `${name} ${run}`))
      })
    // Until every connection has parsed the statements, and is known by its marker.
    await work(1)
    const before = proxy.trips
    await work(2)
    expect(proxy.trips - before).toBe(2)
    await store.close()
    await proxy.close()
    await database().drop(schema)
  })
})
