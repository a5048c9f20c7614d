import { err, ok, type Result, type Store, type Transaction } from '@quittance/core'
import type { PoolClient } from 'pg'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { claimRequest, seedQueue } from '../../testing/src/store/claiming.ts'
import { commit, find, here, live, seed, turnOfTheLoop, unit } from '../../testing/src/store/opened.ts'
import { sampleRow } from '../../testing/src/store/sample-row.ts'
import { postgresStore } from '../src/postgres-store.ts'
import { slow_ms } from '../src/units/unit-queue.ts'
import { type CuttingProxy, cuttingProxy, type Fate } from './cutting-proxy.ts'
import { testDatabase } from './database.ts'

type Work = (tx: Transaction) => Promise<Result<unknown, unknown>>

const database = testDatabase()
const customer = (id: string) => sampleRow('customers', here, id)
const cursor = (id: string, value = '0') => sampleRow('cursors', here, id, { value })
const inserts =
  (id: string): Work =>
  async (tx) =>
    ok(await tx.customers.insert(customer(id)))

describe('units of work that wait', () => {
  let proxy: CuttingProxy
  let schema: string
  let store: Store
  beforeEach(async () => {
    schema = database().schema()
    proxy = await cuttingProxy(database().connectionString)
    store = postgresStore({ connectionString: proxy.connectionString, schema })
    await store.migrate()
    // On a loaded machine it is over before the transactions that the units wait for have begun.
    const { setTimeout } = globalThis
    vi.spyOn(globalThis, 'setTimeout').mockImplementation((wake, ms) =>
      setTimeout(wake, ms === slow_ms ? 60_000 : ms),
    )
  })
  afterEach(async () => {
    vi.restoreAllMocks()
    await store.close()
    await proxy.close()
    await database().drop(schema)
  })

  /** As many transactions as may be under way before units wait, begun one after the other, each of which does this. */
  const fill = async (work: (tx: Transaction) => Promise<void>) => {
    const filling: Promise<void>[] = []
    for (let begun = 0; begun < 4; ) {
      const before = begun
      filling.push(
        commit(store, here, (tx) => {
          begun += 1
          return work(tx)
        }),
      )
      while (begun === before) await turnOfTheLoop()
    }
    return filling
  }

  /** Runs them while so many transactions are under way. */
  const crowd = async (works: readonly Work[], scopeOf = (_index: number) => here) => {
    const open = Promise.withResolvers<void>()
    const before = await fill(() => open.promise)
    const outcomes = works.map((work, index) => unit(store, scopeOf(index), work))
    open.resolve()
    await Promise.all(before)
    return Promise.allSettled(outcomes)
  }
  const values = (outcomes: Awaited<ReturnType<typeof crowd>>) =>
    outcomes.map((outcome) => {
      if (outcome.status === 'rejected') return `threw ${outcome.reason}`
      return outcome.value.isOk() ? outcome.value.value : `refused ${outcome.value.error}`
    })
  /** The customers, and how many transactions have written them. */
  const written = async () => {
    const { rows } = await database().pool.query<{ id: string; xmin: string }>(
      `SELECT "id", xmin::text FROM "${schema}"."customers" ORDER BY "id"`,
    )
    return { ids: rows.map(({ id }) => id), transactions: new Set(rows.map(({ xmin }) => xmin)).size }
  }
  const names = Array.from({ length: 10 }, (_, index) => `c${index}`)

  it('share a transaction', async () => {
    await crowd(names.map(inserts))
    expect(await written()).toEqual({ ids: names, transactions: 1 })
  })

  it('share another one where they are more than sixteen', async () => {
    await crowd(Array.from({ length: 20 }, (_, index) => inserts(`c${index}`)))
    expect((await written()).transactions).toBe(2)
  })

  it('share one where they come one by one, while as many are under way as may be', async () => {
    const open = Promise.withResolvers<void>()
    const before = await fill(() => open.promise)
    const waiting: Promise<unknown>[] = []
    for (const id of names) {
      waiting.push(unit(store, here, inserts(id)))
      await turnOfTheLoop()
    }
    open.resolve()
    await Promise.all([...before, ...waiting])
    expect(await written()).toEqual({ ids: names, transactions: 1 })
  })

  it('lock and write rows, each in its own scope', async () => {
    const rename =
      (ids: readonly string[]): Work =>
      async ({ customers }) => {
        const rows = (await Promise.all(ids.map((id) => customers.lock(id)))).flatMap((row) => row ?? [])
        await Promise.all(rows.map((row) => customers.update({ ...row, name: `renamed ${row.id}` })))
        return ok(rows.map(({ id }) => id))
      }
    const own: [typeof here, string[]][] = [
      [here, ['a', 'b']],
      [live, ['c', 'd']],
    ]
    for (const [scope, ids] of own)
      for (const id of ids) await seed(store, scope, [['customers', sampleRow('customers', scope, id)]])
    const works = own.map(([, ids]) => rename(ids))
    expect(values(await crowd(works, (index) => own[index]?.[0] ?? here))).toEqual([
      ['a', 'b'],
      ['c', 'd'],
    ])
    expect(await written()).toEqual({ ids: ['a', 'b', 'c', 'd'], transactions: 1 })
    for (const [scope, ids] of own)
      for (const id of ids)
        expect(await find(store, scope, 'customers', id)).toMatchObject({ name: `renamed ${id}` })
  })

  it('share one too where more than a few begin in one turn of the event loop, and nobody else is at work', async () => {
    const begin = async (ids: readonly string[]) => {
      await Promise.all(ids.map((id) => unit(store, here, inserts(id))))
      return (await written()).transactions
    }
    expect(await begin(['few', 'fewer', 'fewest'])).toBe(3)
    expect(await begin(names)).toBe(4)
  })

  it('share as many as there may be, where one cannot have all that begin in one turn of the event loop', async () => {
    // So that each has its connection already.
    await crowd([])
    const order: string[] = []
    const work: Work = async (tx) => {
      order.push('begins')
      for (let turn = 0; turn < 3; turn += 1) await tx.payments.get('anything')
      order.push('ends')
      return ok(undefined)
    }
    await Promise.all(Array.from({ length: 64 }, () => unit(store, here, work)))
    expect(order.indexOf('ends')).toBe(64)
  })

  it('share again what those before them had locked, once these are over', async () => {
    await seed(store, here, [['customers', customer('a')]])
    let runs = 0
    const rename =
      (name: string): Work =>
      async (tx) => {
        runs += 1
        const row = await tx.customers.lock('a')
        return ok(row && (await tx.customers.update({ ...row, name })))
      }
    await crowd([rename('first'), inserts('b')])
    await crowd([rename('second'), inserts('c')])
    expect(runs).toBe(2)
    expect(await find(store, here, 'customers', 'a')).toMatchObject({ name: 'second' })
  })

  it('come one after the other to a row that several lock', async () => {
    await seed(store, here, [['cursors', cursor('counter')]])
    const count: Work = async (tx) => {
      const row = await tx.cursors.lock('counter')
      await turnOfTheLoop()
      return ok(await tx.cursors.update(cursor('counter', `${Number(row?.value) + 1}`)))
    }
    await crowd(names.map(() => count))
    expect(await find(store, here, 'cursors', 'counter')).toMatchObject({ value: '10' })
  })

  it('come one after the other to a row that one of them writes without a lock', async () => {
    await seed(store, here, [['cursors', cursor('counter')]])
    const writes: Work = async (tx) => {
      await tx.cursors.update(cursor('counter', '10'))
      await tx.customers.get('anybody')
      return ok(await tx.cursors.update(cursor('counter', '11')))
    }
    const doubles: Work = async (tx) => {
      const row = await tx.cursors.lock('counter')
      return ok(await tx.cursors.update(cursor('counter', `${Number(row?.value) * 2}`)))
    }
    await crowd([writes, doubles])
    expect(['11', '22']).toContain((await find(store, here, 'cursors', 'counter'))?.value)
  })

  it('see of what another one writes nothing or all, whatever it does between', async () => {
    const writes: Work = async (tx) => {
      await tx.customers.insert(customer('both'))
      for (let turn = 0; turn < 3; turn += 1) await tx.payments.get('anything')
      return ok(await tx.cursors.insert(cursor('both')))
    }
    const looks: Work = async (tx) => {
      await tx.payments.get('anything')
      const first = (await tx.customers.page({ where: {}, limit: 9 })).length
      const seen = await tx.customers.get('both')
      return ok([first, seen ? 1 : 0, await tx.cursors.get('both')].map((one) => (one ? 1 : 0)).join(' '))
    }
    const [, ...seen] = values(await crowd([writes, looks, looks, looks]))
    expect(seen.filter((one) => one !== '0 0 0' && one !== '1 1 1')).toEqual([])
  })

  it('are not kept, and keep nobody else, where they refuse or throw after they have written', async () => {
    const outcomes = await crowd([
      inserts('kept'),
      async (tx) => {
        await tx.customers.insert(customer('refused'))
        return err('no')
      },
      async (tx) => {
        await tx.customers.insert(customer('thrown'))
        throw new Error('a fault')
      },
      inserts('kept too'),
    ])
    expect(values(outcomes)).toEqual([undefined, 'refused no', 'threw Error: a fault', undefined])
    expect((await written()).ids).toEqual(['kept', 'kept too'])
  })

  it('write nothing more where they do not share, whatever they have begun', async () => {
    await seed(store, here, [['cursors', cursor('counter')]])
    let runs = 0
    const locks: Work = async (tx) => ok(await tx.cursors.lock('counter').then(() => undefined))
    const hurries: Work = async (tx) => {
      const run = ++runs
      const writesLater = async () => {
        for (let turn = 0; turn < 3; turn += 1) await tx.payments.get('anything')
        await tx.customers.insert(customer(`run ${run}`))
      }
      return ok(void (await Promise.all([writesLater(), tx.cursors.lock('counter')])))
    }
    expect(values(await crowd([locks, hurries, inserts('other')]))).toEqual([undefined, undefined, undefined])
    expect(runs).toBe(2)
    expect((await written()).ids).toEqual(['other', 'run 2'])
  })

  it('run again where somebody else has taken what one of them inserts', async () => {
    const another = postgresStore({ connectionString: database().connectionString, schema })
    let runs = 0
    const takes: Work = async (tx) => {
      const seen = await tx.customers.lock('taken')
      if (seen) return err(seen.name)
      runs += 1
      await seed(another, here, [['customers', { ...customer('taken'), name: 'earlier' }]])
      return ok(await tx.customers.insert(customer('taken')))
    }
    expect(values(await crowd([inserts('a'), takes, inserts('b')]))).toEqual([
      undefined,
      'refused earlier',
      undefined,
    ])
    expect(runs).toBe(1)
    expect((await written()).ids).toEqual(['a', 'b', 'taken'])
    await another.close()
  })

  it('do not wait for the row that one of them waits for, and nor do those after them', async () => {
    await seed(store, here, [['cursors', cursor('held')]])
    const holder = await database().pool.connect()
    await holder.query(`BEGIN; SELECT FROM "${schema}"."cursors" FOR UPDATE`)
    let isFree = false
    const waits: Work = async (tx) => ok((await tx.cursors.lock('held')) && isFree)
    const goes =
      (id: string): Work =>
      async (tx) => {
        await tx.customers.insert(customer(id))
        return ok(isFree)
      }
    // More than a few: those could have a transaction each, on a machine so slow that nobody waits for the first four.
    const waiting = crowd([goes('a'), waits, goes('b'), goes('c')])
    await expect.poll(async () => (await written()).ids).toEqual(['a', 'b', 'c'])
    expect(values(await crowd(names.map(goes)))).toEqual(names.map(() => false))
    isFree = true
    await holder.query('ROLLBACK')
    holder.release()
    expect(values(await waiting)).toEqual([false, true, false, false])
    // Apart, as long as the lock may still be wanted.
    expect((await written()).transactions).toBe(13)
  })

  it.each<[Fate, number]>([
    ['lose answer', 1],
    ['lose request', 2],
  ])('run once as often as their commit needs it: %s', async (fate, most_runs) => {
    const runs = new Map<string, number>()
    const counted =
      (id: string): Work =>
      async (tx) => {
        const run = (runs.get(id) ?? 0) + 1
        runs.set(id, run)
        await tx.customers.insert(customer(`${id} ${run}`))
        if (run === 1 && id === names.at(-1)) proxy.cutNext(fate)
        return ok(run)
      }
    expect(values(await crowd(names.map(counted)))).toEqual(names.map(() => most_runs))
    expect((await written()).ids).toEqual(names.map((id) => `${id} ${most_runs}`))
  })

  // Whoever ran again could have been committed twice.
  it('fail, and do not run again, where nobody can tell whether they were committed', async () => {
    let runs = 0
    const lost: Work = async (tx) => {
      runs += 1
      await tx.customers.insert(customer('lost'))
      await database().pool.query(`DELETE FROM "${schema}"."commit_markers"`)
      proxy.cutNext('lose answer')
      return ok(undefined)
    }
    const failed = expect.stringContaining('could not be asked whether')
    expect(values(await crowd([inserts('beside'), lost]))).toEqual([failed, failed])
    expect(runs).toBe(1)
  })

  it('outlive the end of their session', async () => {
    let runs = 0
    const ends: Work = async (tx) => {
      runs += 1
      await tx.customers.insert(customer('ends'))
      await tx.payments.get('anything')
      if (runs > 1) return ok(undefined)
      await database().pool.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE state = 'idle in transaction' AND datname = current_database()`,
      )
      return ok(undefined)
    }
    expect(values(await crowd([inserts('a'), ends, inserts('b')]))).toEqual([undefined, undefined, undefined])
    expect((await written()).ids).toEqual(['a', 'b', 'ends'])
  })

  it('have a transaction of their own from then on where a listener of the host has used one', async () => {
    const asks: Work = async (tx) => {
      const { rows } = await (tx.native as PoolClient).query('SELECT 1 AS one')
      return ok(rows)
    }
    expect(values(await crowd([inserts('a'), asks, inserts('b')]))).toEqual([
      undefined,
      [{ one: 1 }],
      undefined,
    ])
    await crowd(names.map(inserts))
    expect((await written()).transactions).toBeGreaterThan(names.length)
  })

  it('all have one, however many wait when a listener uses one', async () => {
    const open = Promise.withResolvers<void>()
    const before = await fill(async (tx) => {
      await open.promise
      await (tx.native as PoolClient).query('SELECT 1')
    })
    const ids = Array.from({ length: 100 }, (_, index) => `c${index}`)
    const waiting = ids.map((id) => unit(store, here, inserts(id)))
    open.resolve()
    await Promise.all([...before, ...waiting])
    expect((await written()).transactions).toBe(ids.length)
  })

  it('have a transaction of their own for what locks a scope, and lease nothing in one that they share', async () => {
    await seedQueue(store, here, 'we', [0])
    const order: string[] = []
    const holds =
      (mode: 'shared' | 'exclusive'): Work =>
      async (tx) => {
        await tx.lockScope(mode)
        order.push(`${mode} begins`)
        for (let turn = 0; turn < 3; turn += 1) await tx.payments.get('anything')
        order.push(`${mode} ends`)
        return ok(undefined)
      }
    const leases: Work = async (tx) => {
      const [delivery] = await tx.deliveries.page({ where: {}, limit: 1 })
      return ok(await tx.leaseDeliveries({ ...claimRequest, ids: delivery ? [delivery.id] : [] }))
    }
    expect(values(await crowd([holds('shared'), holds('exclusive'), leases]))).toEqual([
      undefined,
      undefined,
      false,
    ])
    expect(order.slice(-2)).toEqual(['exclusive begins', 'exclusive ends'])
    expect(await store.claimDeliveries(claimRequest)).toHaveLength(1)
  })

  it('may be of several environments, whose rows stay apart', async () => {
    const scopes = [here, live]
    const scopeOf = (index: number) => scopes[index] ?? here
    const works = scopes.map(
      (scope): Work =>
        async (tx) => {
          await tx.cursors.insert({ ...cursor('same'), ...scope })
          return ok((await tx.cursors.page({ where: {}, limit: 9 })).length)
        },
    )
    expect(values(await crowd(works, scopeOf))).toEqual([1, 1])
    for (const scope of scopes) expect(await find(store, scope, 'cursors', 'same')).toMatchObject(scope)
  })

  it('wait no longer than a moment for those that are slow', async () => {
    vi.restoreAllMocks()
    const open = Promise.withResolvers<void>()
    const slow = await fill(() => open.promise)
    await Promise.all(names.map((id) => unit(store, here, inserts(id))))
    open.resolve()
    await Promise.all(slow)
    expect((await written()).ids).toEqual(names)
  })

  it('may ask for several things at once, one of which they cannot have where they share', async () => {
    const unheard: unknown[] = []
    const hear = (fault: unknown) => void unheard.push(fault)
    process.on('unhandledRejection', hear)
    const holder = await database().pool.connect()
    await holder.query(`BEGIN; LOCK TABLE "${schema}"."cursors"`)
    const writes: Work = async (tx) => {
      await tx.customers.insert(customer('written'))
      for (let turn = 0; turn < 3; turn += 1) await tx.payments.get('anything')
      return ok(undefined)
    }
    const asks: Work = async (tx) => {
      await tx.payments.get('anything')
      await Promise.all([tx.cursors.lock('held'), tx.customers.page({ where: {}, limit: 1 })])
      return ok(undefined)
    }
    const waiting = crowd([writes, asks])
    await expect.poll(async () => (await written()).ids).toEqual(['written'])
    await holder.query('ROLLBACK')
    holder.release()
    expect(values(await waiting)).toEqual([undefined, undefined])
    process.off('unhandledRejection', hear)
    expect(unheard).toEqual([])
  })

  it('run once, and end for good, whatever a part of them does that goes on', async () => {
    let runs = 0
    const faults = new Set<string>()
    const goesOn: Work = async (tx) => {
      runs += 1
      const asks = [() => tx.native, () => tx.cursors.get('row'), () => tx.cursors.lock('row')]
      const later = async () => {
        for (let turn = 0; turn < 20; turn += 1) {
          await turnOfTheLoop()
          for (const ask of asks) await (async () => ask())().catch((fault) => faults.add(String(fault)))
        }
      }
      void later()
      return ok(await tx.customers.insert(customer(`run ${runs}`)))
    }
    await crowd([goesOn, async (tx) => ok(await tx.cursors.insert(cursor('row')))])
    expect((await written()).ids).toEqual(['run 1'])
    expect([...faults]).toEqual(['Error: this transaction has ended'])
  })

  it('keep a row for no longer than they run, whatever a part of them does that goes on', async () => {
    const open = Promise.withResolvers<void>()
    const asked: Promise<unknown>[] = []
    const goesOn: Work = async (tx) => {
      asked.push(open.promise.then(() => tx.cursors.lock('row')))
      return ok(undefined)
    }
    await crowd([goesOn, inserts('other')])
    open.resolve()
    await Promise.allSettled(asked)
    let runs = 0
    const locks: Work = async (tx) => {
      runs += 1
      return ok(await tx.cursors.lock('row'))
    }
    await crowd([locks, inserts('another')])
    expect(runs).toBe(1)
  })

  it('are not told that a constraint is taken by a row that another one takes back', async () => {
    const same = { reference: 'one and the same' }
    const takesBack: Work = async (tx) => {
      await tx.customers.insert({ ...customer('taken'), ...same })
      return ok(await tx.customers.delete('taken'))
    }
    const takes: Work = async (tx) => ok(await tx.customers.insertNew({ ...customer('kept'), ...same }))
    expect(values(await crowd([takesBack, takes]))).toEqual([undefined, true])
  })

  it('share all the same where one of them finds a constraint taken, and is refused', async () => {
    await seed(store, here, [['customers', customer('taken')]])
    const takes: Work = async (tx) =>
      (await tx.customers.insertNew({ ...customer('other'), reference: customer('taken').reference }))
        ? ok('taken')
        : err('there is one')
    expect(values(await crowd([...names.map(inserts), takes])).at(-1)).toBe('refused there is one')
    expect((await written()).transactions).toBe(2)
  })
})
