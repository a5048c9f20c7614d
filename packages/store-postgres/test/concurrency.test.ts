import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { ok, type Store } from '@quittance/core'
import type { PoolClient } from 'pg'
import { describe, expect, it } from 'vitest'
import { commit, find, here, live, seed, turnOfTheLoop, unit } from '../../testing/src/store/opened.ts'
import { sampleRow } from '../../testing/src/store/sample-row.ts'
import { migration_texts } from '../src/migration-texts.ts'
import { testDatabase } from './database.ts'
import { eachWithProcesses } from './processes.ts'

const database = testDatabase()
const cursor = (id: string, value = '0') => sampleRow('cursors', here, id, { value })

describe('several processes on one Postgres', () => {
  const processes = eachWithProcesses(database)

  /** Counts the row up, and leaves a row of its own, which is another one if the work runs again. */
  const count = (on: Store) =>
    commit(on, here, async (tx) => {
      const row = await tx.cursors.lock('counter')
      await tx.customers.insert(sampleRow('customers', here, randomUUID()))
      await tx.cursors.update(cursor('counter', `${Number(row?.value) + 1}`))
    })
  const counted = async () => {
    const { store, schema } = processes()
    const { rows } = await database().pool.query(`SELECT count(*)::int AS rows FROM "${schema}"."customers"`)
    return { counter: Number((await find(store, here, 'cursors', 'counter'))?.value), rows: rows[0].rows }
  }
  /** Of all stores. How many they were. */
  const endSessions = async () => {
    const { rowCount } = await database().pool.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE application_name = 'quittance' AND datname = current_database()`,
    )
    return rowCount ?? 0
  }

  it('lose no update of a row that all of them want', async () => {
    const { store, stores } = processes()
    await seed(store, here, [['cursors', cursor('counter')]])
    await Promise.all(stores.flatMap((each) => Array.from({ length: 25 }, () => count(each))))
    expect(await counted()).toEqual({ counter: 200, rows: 200 })
  })

  it('that lock each other’s rows both commit: Postgres undoes one, which runs again', async () => {
    const { store } = processes()
    await seed(store, here, [
      ['cursors', cursor('a')],
      ['cursors', cursor('b')],
    ])
    let runs = 0
    let locked = 0
    const both = Promise.withResolvers<void>()
    const one = Promise.withResolvers<void>()
    const crossing = (first: string, second: string) =>
      commit(store, here, async (tx) => {
        runs += 1
        // Else the one that was undone may have its first row again before the other one has its second, and both wait again.
        if (runs > 2) await one.promise
        await tx.cursors.lock(first)
        locked += 1
        if (locked === 2) both.resolve()
        await both.promise
        const row = await tx.cursors.lock(second)
        await tx.cursors.update(cursor(second, `${Number(row?.value) + 1}`))
      })
    const units = [crossing('a', 'b'), crossing('b', 'a')]
    void Promise.race(units).then(one.resolve)
    await Promise.all(units)
    expect(runs).toBe(3)
    expect((await find(store, here, 'cursors', 'a'))?.value).toBe('1')
    expect((await find(store, here, 'cursors', 'b'))?.value).toBe('1')
  })

  it('that share the lock of a scope, and each want it for themselves, run again once: with it from the start', async () => {
    const { store } = processes()
    await seed(store, here, [['cursors', cursor('counter')]])
    const runs = [0, 0, 0, 0]
    let let_in = 0
    const all = Promise.withResolvers<void>()
    const sharing = (place: number) =>
      commit(store, here, async (tx) => {
        runs[place] = (runs[place] ?? 0) + 1
        await tx.lockScope('shared')
        let_in += 1
        // As many as the store has connections.
        if (let_in === 3) all.resolve()
        await all.promise
        await tx.lockScope('exclusive')
        const row = await tx.cursors.lock('counter')
        await tx.cursors.update(cursor('counter', `${Number(row?.value) + 1}`))
      })
    const begun: Promise<void>[] = []
    for (const place of runs.keys()) {
      begun.push(sharing(place))
      // Those that begin in one turn would share a transaction first.
      await turnOfTheLoop()
    }
    await Promise.all(begun)
    expect((await find(store, here, 'cursors', 'counter'))?.value).toBe('4')
    expect(Math.max(...runs)).toBe(2)
  })

  it('hold the two environments of a workspace for themselves side by side', async () => {
    const { store } = processes()
    await commit(store, here, async (tx) => {
      await tx.lockScope('exclusive')
      await commit(store, live, async (other) => other.lockScope('exclusive'))
    })
  })

  it('run a unit again that could not be serialized, and no other that fails', async () => {
    const failing = async (state: string) => {
      let runs = 0
      const result = unit(processes().store, here, async (tx) => {
        runs += 1
        await tx.customers.insert(sampleRow('customers', here, randomUUID()))
        const native = tx.native as PoolClient
        if (runs === 1) await native.query(`DO $$ BEGIN RAISE SQLSTATE '${state}'; END $$`)
        return ok(runs)
      })
      return result.then((value) => (value.isOk() ? value.value : 0))
    }
    expect(await failing('40001')).toBe(2)
    expect(await failing('40P01')).toBe(2)
    await expect(failing('23514')).rejects.toMatchObject({ code: '23514' })
    expect((await counted()).rows).toBe(2)
  })

  it('run a unit again whose row another one has inserted meanwhile: it finds that row', async () => {
    const { store, stores } = processes()
    const [, another = store] = stores
    let runs = 0
    const result = await unit(store, here, async (tx) => {
      runs += 1
      const found = await tx.customers.get('a')
      if (found) return ok(found.name)
      await seed(another, here, [['customers', sampleRow('customers', here, 'a', { name: 'the other' })]])
      await tx.customers.insert(sampleRow('customers', here, 'a'))
      return ok('own')
    })
    expect(result.isOk() && result.value).toBe('the other')
    expect(runs).toBe(2)
  })

  it('run a unit that inserts without looking three times, and then have its fault', async () => {
    const { store } = processes()
    const row = sampleRow('customers', here, 'a')
    await seed(store, here, [['customers', row]])
    let runs = 0
    const inserted = commit(store, here, async (tx) => {
      runs += 1
      await tx.customers.insert(row)
    })
    await expect(inserted).rejects.toMatchObject({ code: '23505' })
    expect(runs).toBe(3)
  })

  it('survive the end of all their sessions under load: no unit is lost, doubled or refused', async () => {
    const { store, stores } = processes()
    await seed(store, here, [['cursors', cursor('counter')]])
    const each_ones = 40
    let done = 0
    const sessions: number[] = []
    const work = stores.map(async (each) => {
      for (let turn = 0; turn < each_ones; turn += 1) {
        await count(each)
        done += 1
        // By what was done, not by the clock: on a slow machine the units would run out of attempts.
        if (done % 8 === 0) sessions.push(await endSessions())
      }
    })
    await Promise.all(work)
    expect(sessions.reduce((sum, ended) => sum + ended)).toBeGreaterThan(8)
    expect(await counted()).toEqual({ counter: 8 * each_ones, rows: 8 * each_ones })
  })

  it('do not mind when sessions end while nobody uses them', async () => {
    const { store } = processes()
    await seed(store, here, [['cursors', cursor('counter')]])
    await endSessions()
    expect((await find(store, here, 'cursors', 'counter'))?.value).toBe('0')
    await count(store)
    expect((await store.nextDue(null)).row).toBeNull()
  })

  it.each(['read committed', 'repeatable read'])(
    'may migrate at once where the default is %s',
    async (isolation) => {
      const fresh = database().schema()
      const script = fileURLToPath(new URL('migrating-process.ts', import.meta.url))
      const address = new URL(database().connectionString)
      address.searchParams.set('options', `-c default_transaction_isolation=${isolation.replace(' ', '\\ ')}`)
      const migrate = () =>
        promisify(execFile)(process.execPath, ['--conditions=@quittance/source', script, address.href, fresh])
      await Promise.all([migrate(), migrate(), migrate()])
      const { rows } = await database().pool.query(`SELECT "name" FROM "${fresh}"."migrations"`)
      expect(rows.map(({ name }) => name).sort()).toEqual(migration_texts.map(([name]) => name))
      await database().drop(fresh)
    },
  )
})
