import { describe, expect, it } from 'vitest'
import { accepted, pay } from '../../../testing/src/builders/requests.ts'
import { helpersOf, refund } from '../../../testing/src/builders/sales.ts'
import { openSandbox } from '../../../testing/src/builders/sandbox.ts'
import { seededIds } from '../../../testing/src/random.ts'
import { second_ms } from '../../src/schema/timestamps.ts'

/** A refund, and a process whose clock is some seconds behind that of the one which made it. */
async function refundedAhead(token: string) {
  const sandbox = await openSandbox()
  const payment = accepted(await pay(sandbox, token))
  sandbox.clock.jump(5 * second_ms)
  const made = accepted(await refund(sandbox, { payment: payment.id, amount: 100 }))
  sandbox.clock.jump(-3 * second_ms)
  const behind = sandbox.another({ ids: seededIds(2) })
  return { payment: payment.id, refund: made.id, behind }
}

describe('the check of a database, of processes whose clocks differ by seconds,', () => {
  // Two events of a refund can share their time: then which id sorts first is chance.
  it('finds nothing where one made a refund and another, behind it, ended it', async () => {
    const { behind, ...made } = await refundedAhead('tok_test_refund_pending')
    accepted(await helpersOf(behind.engine).refund.succeed(behind.caller, { id: made.refund }))
    expect((await behind.engine.verify()).violations).toEqual([])
  })

  it('finds nothing where one made a refund and another, behind it, heard of a chargeback', async () => {
    const { behind, payment } = await refundedAhead('tok_test_visa')
    accepted(await helpersOf(behind.engine).payment.chargeback(behind.caller, { id: payment }))
    expect((await behind.engine.verify()).violations).toEqual([])
  })
})
