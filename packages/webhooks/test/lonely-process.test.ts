import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const script = fileURLToPath(new URL('lonely-process.ts', import.meta.url))

// The process ended with code 13, and the delivery was made again once its lease was over.
it.each(['runOnce', 'drain', 'stop', 'advanceClock'])(
  'a process that does nothing else lives until %s has recorded what was sent, also at the second try',
  async (call) => {
    const run = promisify(execFile)(process.execPath, ['--conditions=@quittance/source', script, call])
    expect((await run).stdout).toBe('succeeded')
  },
)
