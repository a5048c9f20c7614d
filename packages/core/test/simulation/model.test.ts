import fc from 'fast-check'
import { it } from 'vitest'
import { openSandbox } from '../../../testing/src/builders/sandbox.ts'
import { expectQuiet } from '../../../testing/src/invariants/expect-invariants.ts'
import { readRows } from '../../../testing/src/invariants/rows.ts'
import { anyCommand } from '../../../testing/src/models/arbitraries.ts'
import type { Running } from '../../../testing/src/models/command.ts'
import { emptyModel } from '../../../testing/src/models/model.ts'
import { closingStores, runs } from '../stores/tested-store.ts'

const most_steps = 100

/** A failure prints the seed and the path that repeat it. */
it('any history keeps every invariant after every step, and comes to rest', async () => {
  await fc.assert(
    fc.asyncProperty(fc.commands(anyCommand, { maxCommands: most_steps, size: 'max' }), (commands) =>
      closingStores(async () => {
        const sandbox = await openSandbox()
        const running: Running = { sandbox, rows: await readRows(sandbox.store, sandbox.scope) }
        await fc.asyncModelRun(() => ({ model: emptyModel(), real: running }), commands)
        await expectQuiet(sandbox, 'at rest')
      }),
    ),
    { numRuns: runs(150) },
  )
})
