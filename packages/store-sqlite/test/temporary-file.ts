import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Tests end processes, not machines: where it can, the disk that commits wait for is memory, ten times as fast. */
const parent = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()

/** A file that does not exist yet, in a folder that `remove` takes away. */
export function temporaryFile(): { filename: string; remove(): void } {
  const folder = mkdtempSync(join(parent, 'quittance-'))
  return { filename: join(folder, 'test.db'), remove: () => rmSync(folder, { recursive: true, force: true }) }
}
