import fc from 'fast-check'
import { expect, it } from 'vitest'
import { openSandbox } from '../../../testing/src/builders/sandbox.ts'
import { expectInvariants, expectQuiet } from '../../../testing/src/invariants/expect-invariants.ts'
import { readRows } from '../../../testing/src/invariants/rows.ts'
import { closingStores, runs } from '../stores/tested-store.ts'
import { anyCommand, type Command, type World } from './sales-commands.ts'

async function follow(history: readonly Command[]): Promise<void> {
  const sandbox = await openSandbox()
  const world: World = { sandbox, rows: await readRows(sandbox.store, sandbox.scope) }
  for (const [n, command] of history.entries()) {
    const about = `step ${n + 1}, ${command}`
    const expected = command.expected?.(world)
    const answered = await command.run(world)
    const code = answered?.isErr() ? answered.error.code : 'ok'
    expect({ about, code }).not.toEqual({ about, code: 'internal_error' })
    if (answered && expected) expect(expected, `${about} answered ${code}`).toContain(code)
    world.rows = await expectInvariants(sandbox, about, { before: world.rows })
  }
  await expectQuiet(sandbox, 'at rest')
}

/** Failures print their seed and the shortest history that shows them. */
it('keeps every invariant of refunds, checkout sessions and invoices after every step of any history', async () => {
  const history = fc.array(anyCommand, { minLength: 5, maxLength: 40, size: 'max' })
  await fc.assert(
    fc.asyncProperty(history, (commands) => closingStores(() => follow(commands))),
    {
      numRuns: runs(200),
    },
  )
})
