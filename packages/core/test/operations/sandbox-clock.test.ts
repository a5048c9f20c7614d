import { describe, expect, it } from 'vitest'
import { registeredEndpoint } from '../../../testing/src/builders/deliveries.ts'
import { accepted, pay } from '../../../testing/src/builders/requests.ts'
import { advance, eventsOf, openCheckout, shownCheckout } from '../../../testing/src/builders/sales.ts'
import { openSandbox, type Sandbox, withProcessor } from '../../../testing/src/builders/sandbox.ts'
import { iso } from '../../src/schema/timestamps.ts'

describe("the sandbox's clock", () => {
  it('stops at all that falls due on the way, also where real time goes on meanwhile', async () => {
    const sandbox = await openSandbox()
    const { id, expires_at } = await openCheckout(sandbox, { expires_in: 1800 })
    accepted(await pay(sandbox, 'tok_test_unknown_forever'))
    const nextNotificationAt = async () => {
      sandbox.clock.advance(1)
      return null
    }
    const ticking = sandbox.another(withProcessor(sandbox, { ...sandbox.processor, nextNotificationAt }))
    sandbox.clock.advance(59_999)
    await advance(ticking, 86_400)
    const [expired] = await eventsOf(ticking, id)
    expect(expired?.created_at.slice(0, 19)).toBe(expires_at.slice(0, 19))
  })

  it('stops at all that falls due on the way, also beside a row and a delivery that stay due', async () => {
    const broken = () => Promise.reject(new Error('the listener is on fire'))
    const sandbox = await openSandbox({ on: { 'payment.failed': broken } })
    await registeredEndpoint(sandbox)
    accepted(await pay(sandbox, 'tok_test_unknown_declined'))
    const pages = [1800, 3600].map((expires_in) => openCheckout(sandbox, { expires_in }))
    const [first, second] = await Promise.all(pages)
    await advance(sandbox, 86_400)
    for (const page of [first, second]) {
      const [expired] = await eventsOf(sandbox, page?.id ?? '')
      expect(expired?.created_at).toBe(page?.expires_at)
    }
  })

  it('comes back after a restart as far ahead as the process that moved it furthest', async () => {
    const sandbox = await openSandbox()
    await Promise.all([advance(sandbox.another(), 86_400), advance(sandbox.another(), 60)])
    const restarted = sandbox.another()
    await restarted.engine.migrate()
    expect(restarted.engine.clock.now() - sandbox.clock.now()).toBe(86_400_000)
    await restarted.engine.migrate()
    expect(restarted.engine.clock.now() - sandbox.clock.now()).toBe(86_400_000)
  })

  it('comes back after a restart no earlier than what was done as it moved', async () => {
    const sandbox = await openSandbox()
    sandbox.engine.addWorker({
      async drain() {
        if (sandbox.engine.clock.now() > sandbox.clock.now()) throw new Error('the process dies')
      },
    })
    const { id } = await openCheckout(sandbox, { expires_in: 1800 })
    await expect(advance(sandbox, 1800)).rejects.toThrow('the process dies')
    const restarted = sandbox.another()
    await restarted.engine.migrate()
    const [expired] = await eventsOf(restarted, id)
    expect(iso(restarted.engine.clock.now())).toBe(expired?.created_at)
  })

  it.each<[string, (sandbox: Sandbox) => Promise<unknown>]>([
    ['reconciles', ({ engine }) => engine.reconcile()],
    ['claims deliveries', ({ engine }) => engine.deliveries.claim(1)],
    ['is sent a key', ({ engine }) => engine.authenticate('Bearer sk_test_nobody', from_nowhere)],
    ['is asked for its clock', ({ engine, caller }) => engine.testHelpers?.readClock(caller, {}) ?? nobody],
    ['moves the clock', (sandbox) => advance(sandbox, 0)],
  ])('was moved for a running engine on the same rows too, as soon as that %s', async (_what, does) => {
    const sandbox = await openSandbox()
    const other = sandbox.another()
    await advance(sandbox, 60)
    await other.engine.migrate()
    await advance(sandbox, 86_400)
    await does(other)
    expect(other.engine.clock.now()).toBe(sandbox.engine.clock.now())
  })

  it('lets each engine on the same rows do what falls due by it', async () => {
    const sandbox = await openSandbox()
    const other = sandbox.another()
    const { id } = await openCheckout(sandbox, { expires_in: 1800 })
    await advance(other, 1000)
    const { id: later } = await openCheckout(other, { expires_in: 1800 })
    await advance(sandbox, 1800)
    expect((await shownCheckout(other, id)).status).toBe('expired')
    expect((await shownCheckout(other, later)).status).toBe('expired')
  })

  it('is taken over by an engine without test helpers when it migrates: its rows sort above those there are', async () => {
    const sandbox = await openSandbox()
    await advance(sandbox, 86_400)
    const { id: before } = accepted(await pay(sandbox, 'tok_test_visa'))
    const other = sandbox.another({ testHelpers: false })
    await other.engine.migrate()
    const { id: after } = accepted(await pay(other, 'tok_test_visa'))
    expect([before, after].sort()).toEqual([before, after])
    expect(other.engine.clock.now()).toBeGreaterThanOrEqual(sandbox.clock.now() + 86_400_000)
  })

  it('does not reach engines without test helpers while they run', async () => {
    const sandbox = await openSandbox()
    const other = sandbox.another({ testHelpers: false })
    await advance(sandbox, 86_400)
    await other.engine.reconcile()
    expect(other.engine.clock.now()).toBe(sandbox.clock.now())
  })
})

const nobody = Promise.resolve()
const from_nowhere = { ip_address: null, user_agent: null }
