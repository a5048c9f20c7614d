import { err, type Scope } from '@quittance/core'
import { describe, expect, it } from 'vitest'
import type { OpenedStore, OpenStore } from './open-store.ts'
import { commit, eachOpened, elsewhere, find, here, live, reading, seed, unit, writing } from './opened.ts'
import { sampleRow, tableNames } from './sample-row.ts'

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
  it('is listed by its row, by id and in pages', async () => {
    const { store } = opened()
    const ids = ['b', 'B', 'a-1', 'a', 'c']
    for (const id of ids) {
      const scope = { workspace: id, livemode: false }
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
  it.each(tableNames)('has its own %s, also under the same ids', async (name) => {
    const { store } = opened()
    const rows = new Map(scopes.map((scope) => [scope, sampleRow(name, scope, 'shared')]))
    // What is unique over all scopes differs.
    for (const [index, row] of [...rows.values()].entries())
      if ('hash' in row) Object.assign(row, { hash: `${index}` })
    for (const [scope, row] of rows) await seed(store, scope, [[name, row]])
    for (const [scope, row] of rows) {
      expect(await find(store, scope, name, 'shared')).toEqual(row)
      expect(await store.read(scope, (all) => reading(all, name).page({ where: {}, limit: 10 }))).toEqual([
        row,
      ])
    }
    await commit(store, here, async (tx) => writing(tx, name).delete('shared'))
    expect(await find(store, here, name, 'shared')).toBeUndefined()
    expect(await find(store, live, name, 'shared')).toEqual(rows.get(live))
    expect(await find(store, elsewhere, name, 'shared')).toEqual(rows.get(elsewhere))
  })

  it.each(tableNames)('can neither see nor write the %s of any other', async (name) => {
    const { store } = opened()
    const foreign = sampleRow(name, elsewhere, 'foreign')
    await seed(store, elsewhere, [[name, foreign]])
    await unit(store, here, async (tx) => {
      expect(await writing(tx, name).get('foreign')).toBeUndefined()
      expect(await writing(tx, name).lock('foreign')).toBeUndefined()
      expect(await writing(tx, name).page({ where: {}, limit: 10 })).toEqual([])
      expect(await writing(tx, name).page({ where: { workspace: elsewhere.workspace }, limit: 10 })).toEqual(
        [],
      )
      await writing(tx, name).delete('foreign')
      return err('done')
    })
    const writes = ['insert', 'insertNew', 'update'] as const
    for (const write of writes) {
      await expect(
        commit(store, here, async (tx) => void (await writing(tx, name)[write](foreign))),
      ).rejects.toThrow()
      const other = { ...sampleRow(name, elsewhere, 'other'), livemode: true }
      await expect(
        commit(store, elsewhere, async (tx) => void (await writing(tx, name)[write](other))),
      ).rejects.toThrow()
    }
    await commit(store, here, async (tx) => writing(tx, name).delete('foreign'))
    expect(await find(store, elsewhere, name, 'foreign')).toEqual(foreign)
  })
}

function itIsFoundByKey(opened: () => OpenedStore): void {
  it('is found by the hash of a key, of whatever scope', async () => {
    const { store } = opened()
    const workspace = sampleRow('workspaces', here, here.workspace)
    const keys = [here, live].map((scope) =>
      sampleRow('api_keys', scope, 'key', { hash: `hash ${scope.livemode}` }),
    )
    await seed(store, here, [['workspaces', workspace]])
    for (const key of keys)
      await seed(store, key, [['api_keys', sampleRow('api_keys', key.livemode ? live : here, 'key', key)]])
    for (const key of keys) expect(await store.findApiKey(key.hash)).toEqual({ key, workspace })
    expect(await store.findApiKey('hash of nothing')).toBeUndefined()
  })

  it('finds a key as it is after a change, and not once it is deleted', async () => {
    const { store } = opened()
    const key = sampleRow('api_keys', here, 'key')
    await seed(store, here, [
      ['workspaces', sampleRow('workspaces', here, here.workspace)],
      ['api_keys', key],
    ])
    const revoked = { ...key, revoked_at: key.created_at }
    await commit(store, here, async (tx) => tx.api_keys.update(revoked))
    expect((await store.findApiKey(key.hash))?.key).toEqual(revoked)
    await commit(store, here, async (tx) => tx.api_keys.delete('key'))
    expect(await store.findApiKey(key.hash)).toBeUndefined()
  })
}
