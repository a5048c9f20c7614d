import { err, type Scope, type Store, type TableName } from '@quittance/core'
import { expect } from 'vitest'
import { describe, it } from '../suite.ts'
import type { OpenedStore, OpenStore } from './open-store.ts'
import { commit, eachOpened, elsewhere, everyRow, find, here, live, seed, unit, writing } from './opened.ts'
import { type AnyRow, sampleRow, tableNames } from './sample-row.ts'

const scopes: readonly Scope[] = [here, live, elsewhere]

export function describeScopes(open: OpenStore): void {
  describe('a workspace and environment', () => {
    const opened = eachOpened(open)
    itIsSeparate(opened)
    itIsFoundByKey(opened)
    itIsListed(opened)
  })
}

function itIsListed(opened: () => OpenedStore): void {
  it('is listed by `workspaces` once it has a row, by id and in pages', async () => {
    const { store } = opened()
    const ids = ['b', 'B', 'a-1', 'a', 'c']
    expect(await find(store, { workspace: 'asked for', livemode: false }, 'workspaces', 'b')).toBeUndefined()
    for (const id of ids) {
      const scope = { workspace: id, livemode: false }
      expect(await store.workspaces({ limit: 10 })).not.toContain(id)
      await seed(store, scope, [['workspaces', sampleRow('workspaces', scope, id)]])
    }
    const all = ids.toSorted()
    expect(await store.workspaces({ limit: 10 })).toEqual(all)
    expect(await store.workspaces({ limit: 2 })).toEqual(all.slice(0, 2))
    expect(await store.workspaces({ after: 'a', limit: 2 })).toEqual(['a-1', 'b'])
    expect(await store.workspaces({ after: 'c', limit: 2 })).toEqual([])
  })
}

function itIsSeparate(opened: () => OpenedStore): void {
  it.each(tableNames)('has its own %s, even under ids that others use', async (name) => {
    const { store } = opened()
    const rows = new Map(scopes.map((scope) => [scope, sampleRow(name, scope, 'shared')]))
    // Values that are unique across all scopes differ.
    for (const [index, row] of [...rows.values()].entries())
      if ('hash' in row) Object.assign(row, { hash: `${index}` })
    for (const [scope, row] of rows) await seed(store, scope, [[name, row]])
    for (const [scope, row] of rows) await expectAlone(store, scope, name, row)
    await commit(store, here, async (tx) => writing(tx, name).delete('shared'))
    expect(await find(store, here, name, 'shared')).toBeUndefined()
    expect(await find(store, live, name, 'shared')).toEqual(rows.get(live))
    expect(await find(store, elsewhere, name, 'shared')).toEqual(rows.get(elsewhere))
  })

  it('changes only its own row where others have one of the same id', async () => {
    const { store } = opened()
    const named = (scope: Scope, name: string) => sampleRow('customers', scope, 'shared', { name })
    for (const scope of scopes) await seed(store, scope, [['customers', named(scope, 'before')]])
    for (const [index, scope] of scopes.entries()) {
      await commit(store, scope, async (tx) => tx.customers.update(named(scope, 'after')))
      for (const [other, each] of scopes.entries()) {
        const expected = named(each, other <= index ? 'after' : 'before')
        expect(await find(store, each, 'customers', 'shared')).toEqual(expected)
      }
    }
  })

  it('rejects rows of any other, even if it has one of the same id', async () => {
    const { store } = opened()
    const named = (scope: Scope, name: string) => sampleRow('customers', scope, 'shared', { name })
    for (const scope of scopes) await seed(store, scope, [['customers', named(scope, 'before')]])
    await expectRefused(store, 'customers', [named(live, 'after'), named(elsewhere, 'after')])
    for (const scope of scopes)
      expect(await find(store, scope, 'customers', 'shared')).toEqual(named(scope, 'before'))
  })

  it.each(tableNames)('can neither see nor write the %s of any other', async (name) => {
    const { store } = opened()
    for (const stranger of [live, elsewhere]) {
      const label = `${stranger.workspace} ${stranger.livemode}`
      const foreign = sampleRow(name, stranger, `foreign ${label}`)
      await seed(store, stranger, [[name, foreign]])
      await expectHidden(store, name, foreign)
      await expectRefused(store, name, [foreign, sampleRow(name, stranger, `new ${label}`)])
      await commit(store, here, async (tx) => writing(tx, name).delete(foreign.id))
      expect(await everyRow(store, stranger, name)).toEqual([foreign])
    }
  })
}

/** Expects the row to be the only one of its scope, inside and outside a unit of work. */
async function expectAlone(store: Store, scope: Scope, name: TableName, row: AnyRow): Promise<void> {
  expect(await find(store, scope, name, row.id)).toEqual(row)
  expect(await everyRow(store, scope, name)).toEqual([row])
  await commit(store, scope, async (tx) => {
    expect(await writing(tx, name).get(row.id)).toEqual(row)
    expect(await writing(tx, name).lock(row.id)).toEqual(row)
    expect(await writing(tx, name).page({ where: {}, limit: 10 })).toEqual([row])
  })
}

async function expectHidden(store: Store, name: TableName, foreign: AnyRow): Promise<void> {
  const { workspace, livemode, id } = foreign
  expect(await find(store, here, name, id)).toBeUndefined()
  await unit(store, here, async (tx) => {
    const table = writing(tx, name)
    expect(await table.get(id)).toBeUndefined()
    expect(await table.lock(id)).toBeUndefined()
    expect(await table.page({ where: {}, limit: 10 })).toEqual([])
    expect(await table.page({ where: { workspace, livemode }, limit: 10 })).toEqual([])
    await table.delete(id)
    return err('done')
  })
}

async function expectRefused(store: Store, name: TableName, rows: readonly AnyRow[]): Promise<void> {
  for (const row of rows) {
    for (const write of ['insert', 'insertNew', 'update'] as const) {
      const written = commit(store, here, async (tx) => void (await writing(tx, name)[write](row)))
      await expect(written).rejects.toThrow()
    }
  }
}

function itIsFoundByKey(opened: () => OpenedStore): void {
  it('is found by the hash of a key of either environment', async () => {
    const { store } = opened()
    const workspace = sampleRow('workspaces', here, here.workspace)
    const keys = [here, live].map((scope) =>
      sampleRow('api_keys', scope, 'key', { hash: `hash ${scope.livemode}` }),
    )
    await seed(store, here, [['workspaces', workspace]])
    for (const key of keys) await seed(store, key, [['api_keys', key]])
    for (const key of keys) expect(await store.findApiKey(key.hash)).toEqual({ key, workspace })
    expect(await store.findApiKey('hash of nothing')).toBeUndefined()
  })

  it('is found with its key as both are now, and not once either is deleted', async () => {
    const { store } = opened()
    const key = sampleRow('api_keys', here, 'key')
    const workspace = sampleRow('workspaces', here, here.workspace)
    expect(await store.findApiKey(key.hash)).toBeUndefined()
    await seed(store, here, [
      ['workspaces', workspace],
      ['api_keys', key],
    ])
    expect(await store.findApiKey(key.hash)).toEqual({ key, workspace })
    const revoked = { ...key, revoked_at: key.created_at }
    const renamed = { ...workspace, name: 'renamed' }
    await commit(store, here, async (tx) => {
      await tx.api_keys.update(revoked)
      await tx.workspaces.update(renamed)
    })
    expect(await store.findApiKey(key.hash)).toEqual({ key: revoked, workspace: renamed })
    await commit(store, here, async (tx) => tx.api_keys.delete('key'))
    expect(await store.findApiKey(key.hash)).toBeUndefined()
    await seed(store, here, [['api_keys', key]])
    await commit(store, here, async (tx) => tx.workspaces.delete(here.workspace))
    expect(await store.findApiKey(key.hash), 'a key whose workspace is gone').toBeUndefined()
  })
}
