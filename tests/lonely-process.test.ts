import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const script = fileURLToPath(new URL('lonely-process.ts', import.meta.url))

// The process ended with code 13 in the middle: the timers of a clock do not keep it alive.
it.each(['reconcile', 'stop', 'charge', 'close', 'listener'])(
  'a process that does nothing else lives until a limit ends what hangs: %s',
  async (wait) => {
    const run = promisify(execFile)(process.execPath, ['--conditions=@quittance/source', script, wait])
    expect((await run).stdout).toBe('over')
  },
)
