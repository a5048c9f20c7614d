import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { Store } from '@quittance/core'
import { postgresStore } from '@quittance/store-postgres'
import { sqliteStore } from '@quittance/store-sqlite'
import { rolldown } from 'rolldown'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { root } from '../tools/packages.ts'

// A host's project: what a bundler makes of it goes to dist, and beside that are migrations of its own.
let project: string
beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), 'quittance-bundled-'))
  symlinkSync(fileURLToPath(new URL('node_modules', root)), join(project, 'node_modules'))
  mkdirSync(join(project, 'migrations'))
  writeFileSync(join(project, 'migrations/0001_initial.sql'), 'DROP TABLE customers_of_the_host;')
})
afterEach(() => rmSync(project, { recursive: true }))

const stores: [string, string, () => Store][] = [
  ['sqlite', `sqliteStore({ filename: ':memory:' })`, () => sqliteStore({ filename: ':memory:' })],
  [
    'postgres',
    `postgresStore({ connectionString: 'postgres://127.0.0.1:1/' })`,
    () => postgresStore({ connectionString: 'postgres://127.0.0.1:1/' }),
  ],
]

// It read them from beside its own file, which in a bundle is the host's: it ran the host's migrations, and not its own.
it.each(stores)('a bundled %s store has its own migrations, not the host’s', async (name, made, open) => {
  const bundled = await bundledStore(`@quittance/store-${name}`, made)
  const store = open()
  expect(bundled.migrations.sql()).toBe(store.migrations.sql())
  await Promise.all([bundled.close(), store.close()])
})

// What `esbuild --bundle --platform=node` makes is CommonJS, in which `import.meta` is empty: the store did not open.
it('an SQLite store opens in a bundle without import.meta', async () => {
  const file = JSON.stringify(join(project, 'shop.db'))
  const made = `sqliteStore({ filename: ${file}, driver: 'better-sqlite3' })`
  const store = await bundledStore('@quittance/store-sqlite', made, 'cjs')
  await store.migrate()
  expect(await store.migrations.pending()).toEqual([])
  await store.close()
})

async function bundledStore(from: string, made: string, format: 'esm' | 'cjs' = 'esm'): Promise<Store> {
  const entry = join(project, 'server.ts')
  writeFileSync(entry, `import { ${made.split('(')[0]} } from '${from}'\nexport const store = ${made}\n`)
  const bundle = await rolldown({
    input: entry,
    platform: 'node',
    external: ['pg'],
    resolve: { conditionNames: ['@quittance/source', 'import'] },
    transform: format === 'cjs' ? { define: { 'import.meta.url': 'undefined' } } : {},
    logLevel: 'silent',
  })
  const file = join(project, `dist/server.${format === 'cjs' ? 'cjs' : 'mjs'}`)
  await bundle.write({ file, format })
  await bundle.close()
  const { store } = (await import(pathToFileURL(file).href)) as { store: Store }
  return store
}
