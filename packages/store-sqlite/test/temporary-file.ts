import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A file that does not exist yet, in a folder that `remove` takes away. */
export function temporaryFile(): { filename: string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'quittance-'))
  return { filename: join(folder, 'test.db'), remove: () => rmSync(folder, { recursive: true }) }
}
