import { type FoundKey, readApiKey, type Statements } from '@quittance/store-sql'
import type { SharedReads } from './shared-reads.ts'

/** Caches API keys until another connection commits: `data_version` changes with each such commit. */
export class KnownKeys {
  readonly #reads: SharedReads
  readonly #statements: Statements
  readonly #known = new Map<string, FoundKey>()
  #commits: unknown

  constructor(reads: SharedReads, statements: Statements) {
    this.#reads = reads
    this.#statements = statements
  }

  find(hash: string): Promise<FoundKey | undefined> {
    return this.#reads.read((driver) => {
      const commits = driver.all(data_version, [])[0]?.data_version
      if (commits !== this.#commits) this.#known.clear()
      this.#commits = commits
      const known = this.#known.get(hash)
      if (known !== undefined) return known
      const [row] = driver.all(this.#statements.apiKey, [hash])
      if (row === undefined) return undefined
      const found = readApiKey(this.#statements, row)
      // Frozen, because all callers share it.
      for (const part of [found, found.key, found.key.scopes, found.workspace]) Object.freeze(part)
      this.#known.set(hash, found)
      return found
    })
  }
}

const data_version = { sql: 'PRAGMA data_version' }
