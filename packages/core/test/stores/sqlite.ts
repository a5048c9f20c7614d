import { setImmediate } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { sqliteStore } from '../../../store-sqlite/src/sqlite-store.ts'
import { temporaryFile } from '../../../store-sqlite/test/temporary-file.ts'
import { type Hosted, runTestsOn } from './tested-store.ts'

// On a file: where the database is in memory, a listener that reads would wait for its own unit of work.
runTestsOn({
  name: 'SQLite',
  share: 1,
  repeats: true,
  async open() {
    const { filename, remove } = temporaryFile()
    const store = sqliteStore({ filename })
    const close = () => store.close().then(remove)
    return { ...store, close }
  },
  async openTwice() {
    const { filename, remove } = temporaryFile()
    const [store, again] = [sqliteStore({ filename }), sqliteStore({ filename })]
    const close = () => Promise.all([store.close(), again.close()]).then(remove)
    return { store, again, close, begin: async () => begun(new Database(filename)) }
  },
  async late(random) {
    for (let tick = random.below(8); tick > 0; tick -= 1) await setImmediate()
  },
})

function begun(native: Database.Database): Hosted {
  native.exec('BEGIN')
  const end = async (how: string) => {
    try {
      native.exec(how)
    } finally {
      native.close()
    }
  }
  return { native, commit: () => end('COMMIT'), rollback: () => end('ROLLBACK') }
}
