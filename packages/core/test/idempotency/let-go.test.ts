import { describe, expect, it } from 'vitest'
import { confirmation, openSession, send } from '../../../testing/src/builders/requests.ts'
import { openSandbox, type Sandbox, withProcessor } from '../../../testing/src/builders/sandbox.ts'
import { heldCall } from '../../../testing/src/ports/held-processor.ts'
import { second_ms } from '../../src/schema/timestamps.ts'

describe('a request whose key, which leads to nothing yet, was let go while it waited', () => {
  it('takes its key again, so that a retry gets the same answer', async () => {
    const sandbox = await openSandbox()
    const confirm = await heldConfirm(sandbox)
    const first = confirm.send()
    await confirm.held
    await letGo(sandbox)
    confirm.release()
    expect(await first).toMatchObject({ status: 200, replayed: false })
    expect(await confirm.send()).toEqual({ ...(await first), replayed: true })
  })

  // It was answered with what the other request had done: found by the simulation, in one of 80,000 histories.
  it.each(['answered', 'in flight'] as const)(
    'is answered with its own outcome where another request, which is %s, has the key by now',
    async (state) => {
      const sandbox = await openSandbox()
      const [own, other] = [await heldConfirm(sandbox), await heldConfirm(sandbox)]
      const first = own.send()
      await own.held
      await letGo(sandbox)
      if (state === 'answered') other.release()
      const others = other.send()
      await (state === 'answered' ? others : other.held)
      own.release()
      expect(await first).toMatchObject({ status: 200, replayed: false })
      expect(JSON.parse((await first).body)).toMatchObject({ id: own.id, status: 'succeeded' })
      other.release()
      expect(JSON.parse((await others).body)).toMatchObject({ id: other.id, status: 'succeeded' })
      expect(await other.send()).toEqual({ ...(await others), replayed: true })
    },
  )
})

/** A session, and the request that confirms it under the key `k` and waits for the processor. */
async function heldConfirm(sandbox: Sandbox) {
  const { id } = await openSession(sandbox, 'tok_test_visa')
  const { processor } = sandbox
  const { call: verify, held, release } = heldCall(processor.verify.bind(processor), 'before')
  const waiting = sandbox.another(withProcessor(sandbox, { ...processor, verify }))
  const input = confirmation(id, 'tok_test_visa')
  return {
    id,
    held,
    release,
    send: () => send(waiting, 'payment_method_sessions.confirm', { input, key: 'k' }),
  }
}

async function letGo({ clock, engine }: Sandbox) {
  clock.jump(30 * second_ms)
  await engine.reconcile()
}
