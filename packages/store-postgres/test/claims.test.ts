import type { ClaimedDelivery, Store, Tables } from '@quittance/core'
import { Statements } from '@quittance/store-sql'
import pg from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { claim, claimRequest, delivery, finish, minute, seedQueue } from '../../testing/src/store/claiming.ts'
import { commit, here } from '../../testing/src/store/opened.ts'
import { at } from '../../testing/src/store/sample-row.ts'
import { claimStatements } from '../src/claims/claim-statements.ts'
import { postgresDialect } from '../src/dialect.ts'
import { postgresStore } from '../src/postgres-store.ts'
import { testDatabase } from './database.ts'
import { indexConditions } from './plans.ts'
import { eachWithProcesses } from './processes.ts'

const database = testDatabase()
const request = { ...claimRequest, real_at: at, lease_until: '2026-01-31T12:01:00.000Z' }
const key = ['id', 'livemode', 'workspace']
const many = Array.from({ length: 60 }, () => 0)
const workspacesOf = async (claimed: Promise<ClaimedDelivery[]>) =>
  (await claimed).map(({ delivery }) => delivery.workspace)

describe('claims of several processes', () => {
  const processes = eachWithProcesses(database)
  /** A claim that has locked a workspace; answers how to end it. */
  const claimingElsewhere = async (workspace: string) => {
    const client = new pg.Client({ connectionString: database().connectionString })
    onTestFinished(() => client.end())
    await client.connect()
    await client.query('BEGIN')
    const key = `${processes().schema} ${workspace}`
    await client.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [key])
    return () => client.query('COMMIT')
  }
  /** What a claim gets that waits until another one has ended. Nothing if that took longer than it waits. */
  const waitingFor = async (workspace: string) => {
    const end = await claimingElsewhere(workspace)
    const claimed = workspacesOf(processes().store.claimDeliveries(request))
    let is_over = false
    void claimed.finally(() => {
      is_over = true
    })
    while (!is_over && (await database().waitingFor(200)) !== 1);
    await end()
    return claimed
  }

  /** Of the only delivery, as many others like it, but for `changes`. */
  const insertCopies = (count: number, changes: Partial<Tables['deliveries']> = {}) => {
    const deliveries = `"${processes().schema}"."deliveries"`
    const names = ['id', 'emit_of', 'pending_of'].map((name) => `'${name}', 'copy ' || n`)
    const copied = `to_jsonb(d) || jsonb_build_object(${names}) || $1::jsonb`
    return database().pool.query(
      `INSERT INTO ${deliveries} SELECT (jsonb_populate_record(d, ${copied})).*
      FROM ${deliveries} d CROSS JOIN generate_series(1, ${count}) n`,
      [JSON.stringify(changes)],
    )
  }

  /** How many rows this statement of a claim returns, and how many pages it reads. */
  const explained = async (limit: number, which: 'lockFree' | 'take') => {
    const { schema } = processes()
    const { settings, ...statements } = claimStatements(schema)
    const { real_at, lease_until, per_workspace, reserved } = request
    const values = {
      lockFree: [at, real_at, limit, per_workspace, schema, '[]', reserved, 256],
      take: [at, real_at, lease_until, limit, per_workspace, '[]', reserved, '[]'],
    }
    const client = await database().pool.connect()
    await client.query('BEGIN')
    await client.query(settings.sql)
    if (which === 'take') await client.query(statements.lockFree.sql, values.lockFree)
    const explain = `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${statements[which].sql}`
    const { rows } = await client.query(explain, values[which])
    await client.query('ROLLBACK')
    client.release()
    const { Plan: root } = rows[0]['QUERY PLAN'][0]
    return { rows: root['Actual Rows'], pages: root['Shared Hit Blocks'] + root['Shared Read Blocks'] }
  }

  it('are on the disk before they are answered, also where the host commits without waiting for it', async () => {
    const { store, schema } = processes()
    await seedQueue(store, here, 'we', [0])
    await database().pool.query(`
      CREATE FUNCTION "${schema}".is_durable() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        ASSERT current_setting('synchronous_commit') = 'on'; RETURN NEW; END $$;
      CREATE TRIGGER durable BEFORE UPDATE ON "${schema}"."deliveries"
        FOR EACH ROW EXECUTE FUNCTION "${schema}".is_durable()`)
    const { connectionString } = database()
    const lax = new pg.Pool({ connectionString, options: '-c synchronous_commit=off' })
    const on_lax = postgresStore({ pool: lax, schema })
    expect(await on_lax.claimDeliveries(request)).toHaveLength(1)
    await on_lax.close()
    await lax.end()
  })

  it('never leave a workspace more than its ten leases, while deliveries finish all the time', async () => {
    const { store, stores } = processes()
    for (const workspace of ['a', 'b', 'c'])
      await seedQueue(store, { workspace, livemode: false }, 'we', many)
    const held = new Map<string, number>()
    let most = 0
    let done = 0
    const end = async (claimed: ClaimedDelivery) => {
      const { delivery } = claimed
      // Counted down before the row says so: the database may never be ahead of what really runs.
      held.set(delivery.workspace, (held.get(delivery.workspace) ?? 0) - 1)
      done += 1
      await finish(store, claimed)
    }
    const dispatch = async (each: Store) => {
      while (done < 3 * many.length) {
        const claimed = await each.claimDeliveries({ ...request, limit: 7 })
        for (const { delivery } of claimed) {
          held.set(delivery.workspace, (held.get(delivery.workspace) ?? 0) + 1)
          most = Math.max(most, held.get(delivery.workspace) ?? 0)
        }
        for (const one of claimed) await end(one)
      }
    }
    await Promise.all(stores.map(dispatch))
    expect(done).toBe(3 * many.length)
    expect(most).toBeGreaterThan(0)
    expect(most).toBeLessThanOrEqual(10)
  })

  // What was leased was kept back until the other claim had ended, or was lost with the wait for it.
  it('of one workspace do not hold up those of another', async () => {
    const { store } = processes()
    for (const workspace of ['busy', 'free'])
      await seedQueue(store, { workspace, livemode: false }, 'we', [0])
    const end = await claimingElsewhere('busy')
    expect(await workspacesOf(store.claimDeliveries(request))).toEqual(['free'])
    await end()
    expect(await workspacesOf(store.claimDeliveries(request))).toEqual(['busy'])
  })

  it('wait for each other where nothing else is to be had', async () => {
    const { store } = processes()
    await seedQueue(store, { workspace: 'busy', livemode: false }, 'we', [0])
    await expect.poll(() => waitingFor('busy')).toEqual(['busy'])
  })

  it('pass over a workspace whose claim does not end, and reach those behind it', async () => {
    const { store } = processes()
    for (const workspace of ['frozen', 'later'])
      await seedQueue(store, { workspace, livemode: false }, 'we', [0])
    const end = await claimingElsewhere('frozen')
    await expect.poll(() => waitingFor('later')).toEqual(['later'])
    expect(await workspacesOf(store.claimDeliveries(request))).toEqual([])
    await end()
    expect(await workspacesOf(store.claimDeliveries(request))).toEqual(['frozen'])
  })

  it('pass over a delivery that a unit of work has locked', async () => {
    const { store, stores } = processes()
    await seedQueue(store, here, 'we', [0, 0])
    await commit(store, here, async (tx) => {
      await tx.deliveries.lock('we 00')
      const claimed = await stores[1]?.claimDeliveries(request)
      expect(claimed?.map(({ delivery }) => delivery.id)).toEqual(['we 01'])
    })
  })

  it('write the rows of deliveries, and no index', async () => {
    const { store, schema } = processes()
    await seedQueue(store, here, 'we', many)
    const updates = async () => {
      const { rows } = await database().pool.query(
        `SELECT n_tup_upd::integer AS "all", n_tup_hot_upd::integer AS "in_place"
        FROM pg_stat_all_tables WHERE schemaname = $1 AND relname = 'deliveries'`,
        [schema],
      )
      return rows
    }
    expect(await claim(store)).toHaveLength(10)
    await expect.poll(updates).toEqual([{ all: 10, in_place: 10 }])
  })

  // With a list that lost one a workspace would have more than its ten; one that only grew would be read by every claim.
  it('list each delivery with a lease, and none whose lease was released before', async () => {
    const { store, schema } = processes()
    const listed = async () => {
      const { rows } = await database().pool.query(`SELECT "ids" FROM "${schema}"."delivery_leases"`)
      return rows.flatMap(({ ids }) => ids).sort()
    }
    const file = (ids: readonly string[]) =>
      commit(store, here, async (tx) => {
        for (const id of ids) await tx.deliveries.insert(delivery(here, 'we', id, { lease_until: null }))
        expect(await tx.leaseDeliveries({ ...claimRequest, ids })).toBe(true)
      })
    await seedQueue(store, here, 'we', [0, 0, 0, 0])
    const claimed = [...(await claim(store, { limit: 2 })), ...(await claim(store, { limit: 1 }))]
    expect(await listed()).toEqual(['we 00', 'we 01', 'we 02'])
    for (const one of claimed) await finish(store, one)
    expect(await claim(store, { limit: 1 })).toHaveLength(1)
    expect(await listed()).toEqual(['we 03'])
    expect(await claim(store, { real_at: minute(101), lease_until: minute(102) })).toHaveLength(1)
    expect(await listed()).toEqual(['we 03'])
    await file(['one', 'two'])
    expect(await listed()).toEqual(['one', 'two', 'we 03'])
    await commit(store, here, async (tx) => tx.deliveries.delete('one'))
    await file(['three'])
    expect(await listed()).toEqual(['three', 'two', 'we 03'])
  })

  it('read deliveries along the indexes only', async () => {
    const statements = claimStatements(processes().schema)
    for (const { sql } of [statements.lockFree, statements.take]) {
      const { indexes, sequential } = await indexConditions(database().pool, sql)
      expect(sequential).toEqual([])
      expect(indexes).toContain('deliveries_queue')
      expect(indexes).toContain('delivery_leases_pkey')
    }
  })

  // Each of five look-ups did, in every claim: after 80,000 deliveries a quarter as many were sent a second.
  it('pass what ended deliveries left in the indexes no more, once they know where the pending begin', async () => {
    const { store, schema } = processes()
    await seedQueue(store, here, 'we', [0])
    const { pool } = database()
    await insertCopies(10_000, { next_attempt_at: '2026-01-01T00:00:00.000Z' })
    await pool.query(`UPDATE "${schema}"."deliveries" SET "status" = 'succeeded', "next_attempt_at" = NULL
      WHERE "id" LIKE 'copy %'`)
    const { rows, pages } = await explained(100, 'take')
    expect(rows).toBe(1)
    expect(pages).toBeLessThan(100)
  })

  // It stepped from endpoint to endpoint for each claim: with 10,000 workspaces, 80 ms for fifty deliveries, and now 6.
  it('look at what has been due for longest only, where many workspaces wait', async () => {
    const { store, schema } = processes()
    await seedQueue(store, here, 'we', [0])
    await insertCopies(2_000)
    await database().pool.query(`UPDATE "${schema}"."deliveries" SET "workspace" = "id"`)
    expect((await explained(10, 'lockFree')).pages).toBeLessThan(1_000)
  })

  // They were joined to all there are once Postgres had counted many pending ones: 45 ms for ten of 40,000.
  it('look up each delivery that they take, however many are pending', async () => {
    const { store, schema } = processes()
    await seedQueue(store, here, 'we', [0])
    const { pool } = database()
    await insertCopies(20_000)
    await pool.query(`ANALYZE "${schema}"."deliveries"`)
    const { indexes, columns, by_version } = await indexConditions(pool, claimStatements(schema).take.sql)
    const lookups = columns.filter((_, place) => indexes[place] === 'deliveries_pkey')
    // Of those that may be leased; and of those that are chosen, to lock and to take them.
    expect([lookups, by_version]).toEqual([[key], 2])
  })

  // Another index looked as good before the first ANALYZE, and where most have ended: Postgres 15 read all that was pending.
  it('look up each delivery that may be leased by its primary key, whatever Postgres has counted', async () => {
    const { store, schema } = processes()
    await seedQueue(store, here, 'we', [0])
    const { pool } = database()
    const deliveries = `"${schema}"."deliveries"`
    await insertCopies(2_000)
    const { lockFree, take } = claimStatements(schema)
    const steps = [
      `SELECT 1`,
      `ANALYZE ${deliveries}`,
      `UPDATE ${deliveries} SET "status" = 'succeeded' WHERE "id" LIKE 'copy %'`,
      `VACUUM ANALYZE ${deliveries}`,
    ]
    for (const step of steps) {
      await pool.query(step)
      for (const { sql } of [lockFree, take]) {
        const { indexes, columns } = await indexConditions(pool, sql)
        const lookups = indexes.filter((_, place) => columns[place]?.join() === key.join())
        expect(new Set(lookups.filter((name) => name.startsWith('deliveries_'))), step).toEqual(
          new Set(['deliveries_pkey']),
        )
      }
    }
  })

  // Where the queue's index was swollen by what has ended, another one's rows were sorted further: of 20,000 that one endpoint
  // had left, a claim read all for each of the others, 756 ms instead of 4. And what is not due yet was read to look for what is.
  it('look up what an endpoint has due in the queue, also where most of it has ended', async () => {
    const { store, schema } = processes()
    await seedQueue(store, here, 'we', [0])
    const { pool } = database()
    const deliveries = `"${schema}"."deliveries"`
    await insertCopies(20_000)
    await pool.query(`UPDATE ${deliveries} SET "endpoint" = substr("id", 6, 1) WHERE "id" LIKE 'copy %'`)
    const { settings, lockFree, take } = claimStatements(schema)
    const ofAllThatIsDue = async (sql: string) => {
      const { indexes } = await indexConditions(pool, sql, settings.sql)
      return indexes.filter((name) => name.startsWith('deliveries_') && !/_(queue|pkey)$/.test(name))
    }
    for (const ended of [`LIKE 'copy %' AND "id" NOT LIKE '%00'`, `LIKE 'copy %'`]) {
      await pool.query(
        `UPDATE ${deliveries} SET "status" = 'succeeded', "next_attempt_at" = NULL WHERE "id" ${ended}`,
      )
      await pool.query(`VACUUM ANALYZE ${deliveries}`)
      // To see whether little is due.
      expect(await ofAllThatIsDue(lockFree.sql)).toEqual(['deliveries_next'])
      expect(await ofAllThatIsDue(take.sql)).toEqual([])
    }
  })

  it('look up each delivery that may be leased to count the leases, however many are pending', async () => {
    const { store, schema } = processes()
    await seedQueue(store, here, 'we', [0])
    const { pool } = database()
    await insertCopies(20_000)
    const { count } = new Statements(postgresDialect(schema)).leases
    for (const statistics of ['', `ANALYZE "${schema}"."deliveries"`]) {
      await pool.query(statistics)
      const { indexes, columns } = await indexConditions(pool, count.sql)
      expect(indexes).toEqual(['delivery_leases_pkey', 'deliveries_pkey'])
      expect(columns).toEqual([['workspace'], key])
    }
  })
})
