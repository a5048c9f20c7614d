import { describe, expect, it } from 'vitest'
import { registeredEndpoint } from '../../../testing/src/builders/deliveries.ts'
import { accepted, pay } from '../../../testing/src/builders/requests.ts'
import { advance, eventsOf, openCheckout } from '../../../testing/src/builders/sales.ts'
import { openSandbox, withProcessor } from '../../../testing/src/builders/sandbox.ts'

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
    await advance(sandbox.another(), 86_400)
    await advance(sandbox.another(), 60)
    const restarted = sandbox.another()
    await restarted.engine.migrate()
    expect(restarted.engine.clock.now() - sandbox.clock.now()).toBe(86_400_000)
  })
})
