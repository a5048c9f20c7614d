import { realpathSync, statSync } from 'node:fs'

/** Between two checks. */
const every_ms = 100

const gone =
  'The SQLite file or its `-wal` was taken away from under the store: it was replaced, or another library of this process has closed the same file. What is written here is lost: open the store again.'

/**
 * Throws once the files that a connection writes to are no longer those that everybody else finds under their names, and from
 * then on. SQLite itself would go on, and what it commits would be lost.
 */
export function fileGuard(file: string): () => void {
  const path = realpathSync(file)
  const names = [path, `${path}-wal`]
  const own: (number | undefined)[] = []
  let next_ms = 0
  let isGone = false
  return () => {
    const now_ms = performance.now()
    if (!isGone && now_ms < next_ms) return
    next_ms = now_ms + every_ms
    for (const [index, name] of names.entries()) {
      const found = statSync(name, { throwIfNoEntry: false })?.ino
      own[index] ??= found
      isGone ||= found !== own[index]
    }
    if (isGone) throw new Error(gone)
  }
}
