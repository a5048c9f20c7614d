import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

export interface Program {
  /** Runs from its sources, which know where the migrations are. */
  source: string
  /** The same in a few files, for hundreds of starts: three times as fast. */
  compiled: string
  /** Where Node keeps what it compiled. */
  cache: string
}

let program: Promise<Program> | undefined

/** What the processes of a crash test run. Compiled once, and gone with this process. */
export function crashProgram(): Promise<Program> {
  program ??= compile()
  return program
}

const source = fileURLToPath(new URL('process.ts', import.meta.url))

/** Where the packages are found that stay outside. */
const caches = fileURLToPath(new URL('../../node_modules/.cache/', import.meta.url))

async function compile(): Promise<Program> {
  mkdirSync(caches, { recursive: true })
  const dir = mkdtempSync(join(caches, 'crashes-'))
  process.on('exit', () => rmSync(dir, { recursive: true, force: true }))
  const bundle = await rolldown({
    input: source,
    platform: 'node',
    external: ['better-sqlite3', 'pg', 'undici'],
    resolve: { conditionNames: ['@quittance/source', 'import', 'node', 'default'] },
    logLevel: 'warn',
  })
  await bundle.write({ dir, entryFileNames: '[name].mjs', chunkFileNames: '[name].mjs' })
  await bundle.close()
  return { source, compiled: join(dir, 'process.mjs'), cache: join(dir, 'compiled') }
}
