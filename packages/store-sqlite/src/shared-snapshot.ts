import type { SqlDriver } from '@quittance/store-sql'
import type { Database } from 'better-sqlite3'

/**
 * Reads that follow one another without the process doing anything else in between share one snapshot: taking
 * one costs more than reading a row does. It ends before the next callback of the event loop, so that nothing
 * which was committed before a request arrived can be missed, and at once when this process commits.
 */
export interface SharedSnapshot extends SqlDriver {
  end(): void
}

export function sharedSnapshot(reader: Database, driver: SqlDriver): SharedSnapshot {
  const begin = reader.prepare('BEGIN')
  const commit = reader.prepare('COMMIT')
  const end = () => {
    if (reader.open && reader.inTransaction) commit.run()
  }
  return {
    ...driver,
    all(statement, parameters) {
      if (!reader.inTransaction) {
        begin.run()
        // Runs once everything that is ready to go on has gone on, and before any other callback.
        process.nextTick(end)
      }
      return driver.all(statement, parameters)
    },
    end,
  }
}
