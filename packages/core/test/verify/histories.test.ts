import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { attemptDue, registeredEndpoint } from '../../../testing/src/builders/deliveries.ts'
import { openSandbox } from '../../../testing/src/builders/sandbox.ts'
import { readRows } from '../../../testing/src/invariants/rows.ts'
import { anyCommand, type Command, type World } from '../refunds/sales-commands.ts'
import { closingStores, runs } from '../stores/tested-store.ts'

describe('the check of a database', () => {
  /** Failures print their seed and the shortest history that shows them. */
  it('finds nothing after any step of any history', async () => {
    const history = fc.array(anyCommand, { minLength: 5, maxLength: 40, size: 'max' })
    await fc.assert(
      fc.asyncProperty(history, (commands) => closingStores(() => follow(commands))),
      { numRuns: runs(60) },
    )
  })
})

async function follow(history: readonly Command[]): Promise<void> {
  const sandbox = await openSandbox()
  await registeredEndpoint(sandbox)
  const world: World = { sandbox, rows: await readRows(sandbox.store, sandbox.scope) }
  for (const [n, command] of history.entries()) {
    await command.run(world)
    await attemptDue(sandbox, n % 3 === 0 ? 'http 503' : null)
    world.rows = await readRows(sandbox.store, sandbox.scope)
    const { violations } = await sandbox.engine.verify()
    // In these histories time passes with nobody reconciling, which is found, and is theirs.
    const broken = violations.filter(({ says }) => !says.startsWith('has been due since'))
    expect(broken, `step ${n + 1}, ${command}`).toEqual([])
  }
}
