import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import pg from 'pg'
import type { Home } from './home.ts'

/** Makes homes of one flow, and copies of them. */
export interface Homes {
  make(name: string): Promise<Home>
  /** Of a home in which no process lives any more. */
  copy(home: Home, name: string): Promise<Home>
  close(): Promise<void>
}

/** Rows in SQLite files. */
export function sqliteHomes(): Homes {
  const { root, remove } = temporaryFolder()
  const make = async (name: string) => {
    const folder = join(root, name)
    mkdirSync(folder)
    return { folder, database: null }
  }
  return {
    make,
    async copy({ folder }, name) {
      const copied = { folder: join(root, name), database: null }
      copyFolder(folder, copied.folder)
      return copied
    },
    close: async () => remove(),
  }
}

/** Rows in databases of a Postgres server. `url`: of a user who may make them. */
export function postgresHomes(url: string): Homes {
  const { root, remove } = temporaryFolder()
  const pool = new pg.Pool({ connectionString: new URL('postgres', url).href, max: 2 })
  pool.on('error', () => {})
  const databases: string[] = []
  const homeNamed = (name: string) => {
    const database = `${basename(root)}_${name}`.replaceAll(/\W/g, '_').toLowerCase()
    databases.push(database)
    return { database, home: { folder: join(root, name), database: new URL(database, url).href } }
  }
  return {
    async make(name) {
      const { database, home } = homeNamed(name)
      mkdirSync(home.folder)
      await pool.query(`CREATE DATABASE ${database}`)
      return home
    },
    async copy(original, name) {
      const { database, home } = homeNamed(name)
      const template = new URL(original.database ?? '').pathname.slice(1)
      // A server process outlives its killed client for a moment.
      await pool.query('SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = $1', [
        template,
      ])
      await pool.query(`CREATE DATABASE ${database} TEMPLATE ${template}`)
      copyFolder(original.folder, home.folder)
      return home
    },
    async close() {
      for (const database of databases) await pool.query(`DROP DATABASE IF EXISTS ${database} WITH (FORCE)`)
      await pool.end()
      remove()
    },
  }
}

function temporaryFolder() {
  const root = mkdtempSync(join(tmpdir(), 'quittance-crashes-'))
  return { root, remove: () => rmSync(root, { recursive: true, force: true }) }
}

/** Without SQLite's index of the log, which the next process makes anew. */
function copyFolder(from: string, to: string): void {
  cpSync(from, to, { recursive: true, filter: (path) => !path.endsWith('-shm') })
}
