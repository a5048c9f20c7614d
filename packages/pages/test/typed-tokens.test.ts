import type { Processor } from '@quittance/core'
import { describe, expect, it } from 'vitest'
import { hasForm, newCheckout, openTill, visit } from './till.ts'

describe('a page of the sandbox without Elements', () => {
  it('takes typed tokens for a processor that is the simulated one but for a member', async () => {
    const till = await openTill({
      around: (simulated) => ({ ...simulated, charge: (request) => simulated.charge(request) }),
    })
    expect(hasForm(await visit((await newCheckout(till)).url))).toBe(true)
  })

  it('takes none for a processor that has the members of the port and no `control`', async () => {
    const till = await openTill({ around: membersOf })
    const page = await visit((await newCheckout(till)).url)
    expect(page.text).toContain('No sandbox payment method is set up for this page.')
    expect(hasForm(page)).toBe(false)
  })
})

function membersOf(processor: Processor): Processor {
  const { types, verify, charge, refund, void: stop, lookup, notifications, nextNotificationAt } = processor
  return { types, verify, charge, refund, void: stop, lookup, notifications, nextNotificationAt }
}
