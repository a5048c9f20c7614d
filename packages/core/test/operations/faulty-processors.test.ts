import { expect, it, vi } from 'vitest'
import { accepted, pay, shownPayment } from '../../../testing/src/builders/requests.ts'
import { advance } from '../../../testing/src/builders/sales.ts'
import { openSandbox, withProcessor } from '../../../testing/src/builders/sandbox.ts'
import type { Processor } from '../../src/ports/processor.ts'

/** Calls of a processor that only JavaScript lets through. */
type Faulty = { [Call in keyof Processor]?: () => unknown }

async function sandboxWith(faulty: Faulty) {
  const sandbox = await openSandbox()
  const processor = { ...sandbox.processor, ...(faulty as object) }
  return { sandbox, faulty: sandbox.another(withProcessor(sandbox, processor)) }
}

it.each([[undefined], [null], [{}], ['approved'], [{ kind: 'ok' }], [{ kind: 'charge' }]])(
  'a charge that the processor answers with %j is processing until the processor says what became of it',
  async (answer) => {
    const { sandbox, faulty } = await sandboxWith({ charge: async () => answer })
    const { id, status } = accepted(await pay(faulty, 'tok_test_visa'))
    expect(status).toBe('processing')
    await advance(sandbox, 60)
    expect((await shownPayment(sandbox, id)).status).toBe('failed')
    expect((await sandbox.engine.verify()).violations).toEqual([])
  },
)

it.each([[undefined], [{}], [{ notifications: [{}], cursor: 'a' }]])(
  'what is due is tended though the processor gives %j as its notifications',
  async (page) => {
    const { faulty } = await sandboxWith({ notifications: async () => page })
    const { id } = accepted(await pay(faulty, 'tok_test_unknown_approved'))
    faulty.clock.advance(60_000)
    await faulty.engine.reconcile()
    expect((await shownPayment(faulty, id)).status).toBe('succeeded')
  },
)

it('a pass ends though the cursor of the notifications moves at every call', async () => {
  let cursor = 0
  const notifications = vi.fn(async () => ({ notifications: [], cursor: String(++cursor) }))
  const { faulty } = await sandboxWith({ notifications })
  await faulty.engine.reconcile()
  expect(notifications).toHaveBeenCalledTimes(1)
})
