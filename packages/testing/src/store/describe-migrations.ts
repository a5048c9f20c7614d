import { expect } from 'vitest'
import { describe, it } from '../suite.ts'
import type { OpenStore } from './open-store.ts'
import { eachOpened, find, here, seed } from './opened.ts'
import { sampleRow } from './sample-row.ts'

export function describeMigrations(open: OpenStore, options: { processes: boolean }): void {
  describe('a migration', () => {
    const opened = eachOpened(open)

    it('is harmless when repeated, one after another or all at once', async () => {
      const { store } = opened()
      const row = sampleRow('customers', here, 'kept')
      await seed(store, here, [['customers', row]])
      await store.migrate()
      await Promise.all([store.migrate(), store.migrate(), store.migrate()])
      expect(await find(store, here, 'customers', 'kept')).toEqual(row)
    })

    it('is pending until it has run', async () => {
      const fresh = await open()
      const before = await fresh.store.migrations.pending()
      await fresh.store.migrate()
      expect(await fresh.store.migrations.pending()).toEqual([])
      // A store without a schema has nothing pending, and one whose migrations are not SQL has none to show.
      if (fresh.store.migrations.sql() !== '') expect(before, 'of the SQL of all migrations').not.toEqual([])
      await fresh.close()
    })

    if (options.processes) {
      it('is safe in several processes at once', async () => {
        const fresh = await open()
        const others = await Promise.all([fresh.reopen?.(), fresh.reopen?.()])
        const stores = [fresh.store, ...others].filter((store) => store !== undefined)
        expect(stores).toHaveLength(3)
        await Promise.all(stores.map((store) => store.migrate()))
        for (const store of stores) expect(await store.migrations.pending()).toEqual([])
        await Promise.all(others.map((store) => store?.close()))
        await fresh.close()
      })
    }
  })
}
