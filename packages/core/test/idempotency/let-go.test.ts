import { describe, expect, it } from 'vitest'
import { confirmation, openSession, send } from '../../../testing/src/builders/requests.ts'
import { openSandbox, withProcessor } from '../../../testing/src/builders/sandbox.ts'
import type { Processor } from '../../src/ports/processor.ts'
import { second_ms } from '../../src/schema/timestamps.ts'

/** A confirmation that waits for the processor while its key, which leads to nothing yet, is let go. */
async function letGo() {
  const sandbox = await openSandbox()
  const { id } = await openSession(sandbox, 'tok_test_visa')
  const [held, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const slow: Processor = {
    ...sandbox.processor,
    async verify(request) {
      held.resolve()
      await released.promise
      return sandbox.processor.verify(request)
    },
  }
  const waiting = sandbox.another(withProcessor(sandbox, slow))
  const input = confirmation(id, 'tok_test_visa')
  const confirm = send(waiting, 'payment_method_sessions.confirm', { input, key: 'k' })
  await held.promise
  sandbox.clock.jump(30 * second_ms)
  await sandbox.engine.reconcile()
  return { sandbox, id, confirm, release: released.resolve }
}

describe('a request whose key was let go while it waited', () => {
  it('takes its key again where that was let go, so that a retry gets the same answer', async () => {
    const { sandbox, id, confirm, release } = await letGo()
    release()
    const own = await confirm
    expect(own).toMatchObject({ status: 200, replayed: false })
    const input = confirmation(id, 'tok_test_visa')
    const retry = await send(sandbox, 'payment_method_sessions.confirm', { input, key: 'k' })
    expect(retry).toEqual({ ...own, replayed: true })
  })

  // It was answered with what the other request had done: found by the simulation, in one of 80,000 histories.
  it('is answered with its own outcome where its key was let go and is another request’s by now', async () => {
    const { sandbox, id, confirm, release } = await letGo()
    const others = await send(sandbox, 'payment_method_sessions.create', { input: {}, key: 'k' })
    release()
    const own = await confirm
    expect(own).toMatchObject({ status: 200, replayed: false })
    expect(JSON.parse(own.body)).toMatchObject({ id, status: 'succeeded' })
    const again = await send(sandbox, 'payment_method_sessions.create', { input: {}, key: 'k' })
    expect(again).toEqual({ ...others, replayed: true })
  })
})
