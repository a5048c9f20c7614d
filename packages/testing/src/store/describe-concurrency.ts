import { err, ok, type Reads, type Store } from '@quittance/core'
import { expect } from 'vitest'
import { describe, it } from '../suite.ts'
import { claimRequest, idsOf, seedQueue } from './claiming.ts'
import { itSettlesContests } from './describe-contests.ts'
import { itKeepsUnitsApart } from './describe-neighbours.ts'
import { itIsSeenByOthers } from './describe-other-processes.ts'
import { itReadsWhatIsCommitted } from './describe-reads.ts'
import { faultUnderLock, itLocksScopes } from './describe-scope-locks.ts'
import type { OpenedStore, OpenStore } from './open-store.ts'
import { commit, eachOpened, everyRow, find, here, seed, turnOfTheLoop, unit, withAnother } from './opened.ts'
import { sampleRow } from './sample-row.ts'

export function describeConcurrency(open: OpenStore, options: { processes: boolean }): void {
  describe('concurrency', () => {
    const opened = eachOpened(open)
    itSerializes(opened)
    itLooksAgain(opened)
    itSettlesContests(opened)
    itKeepsUnitsApart(opened)
    itReadsWhatIsCommitted(opened)
    itLocksScopes(opened, options)
    if (options.processes) itSpansProcesses(opened)
    if (options.processes) itIsSeenByOthers(opened)
  })
}

function itSerializes(opened: () => OpenedStore): void {
  it('no update is lost between units of work that lock the same row', async () => {
    const { store } = opened()
    await seed(store, here, [['cursors', sampleRow('cursors', here, 'counter', { value: '0' })]])
    await Promise.all(Array.from({ length: 100 }, (_, index) => count(store, index % 10 === 0)))
    expect(await find(store, here, 'cursors', 'counter')).toMatchObject({ value: '100' })
  })

  it('a unit that has locked a row reads all that earlier holders have committed, whatever it read before', async () => {
    const { store } = opened()
    await seed(store, here, [['payments', sampleRow('payments', here, 'pay')]])
    const refundsOf = ({ refunds }: Reads) => refunds.page({ where: { payment: 'pay' }, limit: 99 })
    const counts: number[] = []
    await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        commit(store, here, async (tx) => {
          await refundsOf(tx)
          await tx.payments.lock('pay')
          counts[index] = (await refundsOf(tx)).length
          await tx.refunds.insert(sampleRow('refunds', here, `${index}`, { payment: 'pay' }))
        }),
      ),
    )
    expect(counts.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 12 }, (_, index) => index))
  })

  it('a unit that gives Err or throws undoes no other', async () => {
    const { store } = opened()
    const outcomes = await Promise.allSettled(
      Array.from({ length: 30 }, (_, index) =>
        unit(store, here, async (tx) => {
          await tx.customers.insert(sampleRow('customers', here, `c${String(index).padStart(2, '0')}`))
          if (index % 3 === 1) return err('refused')
          if (index % 3 === 2) throw new Error('a fault')
          return ok(index)
        }),
      ),
    )
    expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(10)
    const page = await everyRow(store, here, 'customers')
    expect(page.map((row) => Number(row.id.slice(1)) % 3)).toEqual(Array.from({ length: 10 }, () => 0))
  })

  it('a unit sees either all or none of what another one writes, whatever that does in between', async () => {
    const { store } = opened()
    const torn: string[] = []
    const write = (id: string) =>
      commit(store, here, async (tx) => {
        await tx.customers.insert(sampleRow('customers', here, id))
        for (let turn = 0; turn < 3; turn += 1) await tx.payments.get('nothing')
        await tx.cursors.insert(sampleRow('cursors', here, id))
      })
    const look = () =>
      commit(store, here, async (tx) => {
        await tx.payments.get('nothing')
        for (const { id } of await tx.customers.page({ where: {}, limit: 99 }))
          if ((await tx.cursors.get(id)) === undefined) torn.push(id)
      })
    const units = Array.from({ length: 60 }, (_, index) => (index % 3 === 0 ? write(`${index}`) : look()))
    await Promise.all(units)
    expect(torn, 'seen in part').toEqual([])
  })

  it('only one of many units inserts the same row, and `insertNew` returns false to the others', async () => {
    const { store } = opened()
    const wins = await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        const row = sampleRow('idempotency_keys', here, 'the key', { request_id: `${index}` })
        const result = await unit(store, here, async (tx) => ok(await tx.idempotency_keys.insertNew(row)))
        return result.isOk() && result.value ? `${index}` : undefined
      }),
    )
    const [winner, ...others] = wins.filter((win) => win !== undefined)
    expect(others).toEqual([])
    expect(await find(store, here, 'idempotency_keys', 'the key')).toMatchObject({ request_id: winner })
  })
}

function itLooksAgain(opened: () => OpenedStore): void {
  it('only one of many units that look for a row inserts it, and the others find it', async () => {
    const { store } = opened()
    let runs = 0
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        unit(store, here, async (tx) => {
          runs += 1
          await tx.cursors.insert(sampleRow('cursors', here, `run ${runs}`))
          const seen = await tx.idempotency_keys.lock('the key')
          if (seen) return err(seen.request_id)
          await tx.idempotency_keys.insert(
            sampleRow('idempotency_keys', here, 'the key', { request_id: `${index}` }),
          )
          return ok(`${index}`)
        }),
      ),
    )
    const [winner, ...others] = outcomes.flatMap((outcome) => (outcome.isOk() ? [outcome.value] : []))
    expect(others).toEqual([])
    const told = outcomes.flatMap((outcome) => (outcome.isErr() ? [outcome.error] : []))
    expect(told).toEqual(Array.from({ length: 19 }, () => winner))
    // If a unit was run again, only the last run counts.
    const kept = await everyRow(store, here, 'cursors')
    expect(kept).toHaveLength(1)
  })
}

function itSpansProcesses(opened: () => OpenedStore): void {
  it('no update is lost between units of work of two processes', async () => {
    await withAnother(opened(), async (store, another) => {
      await seed(store, here, [['cursors', sampleRow('cursors', here, 'counter', { value: '0' })]])
      await Promise.all(
        Array.from({ length: 60 }, (_, index) => count(index % 2 === 0 ? store : another, false)),
      )
      expect(await find(another, here, 'cursors', 'counter')).toMatchObject({ value: '60' })
      expect(await find(store, here, 'cursors', 'counter')).toMatchObject({ value: '60' })
    })
  })

  it('a unit that holds a scope exclusive ends before another process holds it', async () => {
    await withAnother(opened(), async (store, another) => {
      expect(await faultUnderLock([store, 'exclusive'], [another, 'shared'])).toBe('')
    })
  })

  it('no delivery is claimed by two processes, and `per_workspace` holds over both', async () => {
    await withAnother(opened(), async (store, another) => {
      await seedQueue(store, here, 'we', Array(20).fill(0))
      const claims = Array.from({ length: 10 }, (_, index) =>
        (index % 2 === 0 ? store : another).claimDeliveries({ ...claimRequest, limit: 4 }),
      )
      const ids = idsOf((await Promise.all(claims)).flat())
      expect(ids).toHaveLength(10)
      expect(new Set(ids).size).toBe(10)
    })
  })

  it('a key and its workspace are found as another process has left them', async () => {
    await withAnother(opened(), async (store, another) => {
      const key = sampleRow('api_keys', here, 'key')
      const workspace = sampleRow('workspaces', here, here.workspace)
      await seed(store, here, [
        ['workspaces', workspace],
        ['api_keys', key],
      ])
      expect(await another.findApiKey(key.hash)).toEqual({ key, workspace })
      const changed = {
        key: { ...key, revoked_at: key.created_at },
        workspace: { ...workspace, api_enabled: !workspace.api_enabled },
      }
      await commit(store, here, async (tx) => {
        await tx.api_keys.update(changed.key)
        await tx.workspaces.update(changed.workspace)
      })
      expect(await another.findApiKey(key.hash)).toEqual(changed)
      await commit(store, here, async (tx) => tx.api_keys.delete('key'))
      expect(await another.findApiKey(key.hash)).toBeUndefined()
    })
  })
}

async function count(store: Store, dawdle: boolean): Promise<void> {
  await commit(store, here, async (tx) => {
    const row = await tx.cursors.lock('counter')
    if (dawdle) await turnOfTheLoop()
    if (row !== undefined) await tx.cursors.update({ ...row, value: `${Number(row.value) + 1}` })
  })
}
