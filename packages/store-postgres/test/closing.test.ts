import { ok } from '@quittance/core'
import pg from 'pg'
import { expect, it } from 'vitest'
import { collectGarbage } from '../../../tests/collect-garbage.ts'
import { here, unit } from '../../testing/src/store/opened.ts'
import { postgresStore } from '../src/postgres-store.ts'
import { testDatabase } from './database.ts'

const database = testDatabase()
const closed = 'The Postgres store, or the pool that it was given, has been closed.'

it('closes once those who wait for a connection have had theirs, and at once refuses whoever comes later', async () => {
  const { connectionString } = database()
  const store = postgresStore({ connectionString, connections: 1 })
  await store.migrate()
  const work = () => unit(store, here, async () => ok('done'))
  const waiting = [work(), work(), work()]
  await store.close()
  expect(await Promise.all(waiting)).toEqual([ok('done'), ok('done'), ok('done')])

  const later = new Promise((resolve) => setImmediate(resolve, 'later'))
  const refused = [work(), store.findApiKey('hash')].map((asked) => Promise.race([asked, later]))
  for (const one of refused) await expect(one).rejects.toThrow(closed)
})

it('closes once all who wait to read have had their answer, however many they are', async () => {
  const { connectionString } = database()
  const store = postgresStore({ connectionString, connections: 1 })
  await store.migrate()
  const asked = Array.from({ length: 40 }, (_, n) => store.findApiKey(`hash ${n}`))
  const answers = Promise.allSettled(asked)
  await store.close()
  expect((await answers).filter(({ status }) => status === 'rejected')).toEqual([])
})

it('keeps nothing of the units that are over, though it waits for those that are not', async () => {
  const { connectionString } = database()
  const store = postgresStore({ connectionString })
  await store.migrate()
  const results: WeakRef<object>[] = []
  for (let run = 0; run < 10; run += 1)
    await unit(store, here, async () => {
      const result = {}
      results.push(new WeakRef(result))
      return ok(result)
    })
  collectGarbage()
  // The latest may still be at hand.
  expect(results.filter((one) => one.deref() !== undefined).length).toBeLessThan(3)
  await store.close()
})

it('says that the pool it was given has been closed, and does not try again', async () => {
  const pool = new pg.Pool({ connectionString: database().connectionString })
  const store = postgresStore({ pool })
  await pool.end()
  await expect(store.findApiKey('hash')).rejects.toThrow(closed)
})

// It was tried for ten seconds, for which closing the store waited too.
it('does not try again what the end of that pool has cut off', async () => {
  const pool = new pg.Pool({ connectionString: database().connectionString })
  pool.on('error', () => {})
  const store = postgresStore({ pool })
  await store.migrate()
  let runs = 0
  const cut_off = unit(store, here, async (tx) => {
    runs += 1
    await tx.customers.get('nobody')
    void pool.end()
    await (tx.native as pg.PoolClient).query('SELECT pg_terminate_backend(pg_backend_pid())')
    return ok('lost')
  })
  await expect(cut_off).rejects.toThrow(closed)
  expect(runs).toBe(1)
  await store.close()
})

it.each([{}, { connectionString: undefined }, { connectionString: '' }, { pool: undefined }])(
  'refuses %j, with which pg would go by its environment',
  (options) => {
    const open = () => postgresStore(options as { connectionString: string })
    expect(open).toThrow('A Postgres store needs either a `connectionString` or a `pool`.')
  },
)

it('refuses a pool beside what is said of its own', () => {
  const { connectionString, pool } = database()
  const open = (options: object) => () => postgresStore(options as { pool: pg.Pool })
  expect(open({ pool, connectionString })).toThrow('needs either a `connectionString` or a `pool`')
  expect(open({ pool, connections: 3 })).toThrow('`connections` is of the store’s own pool.')
})
