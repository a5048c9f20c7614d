import type { Processor } from '@quittance/core'
import { describe, expect, it } from 'vitest'
import { type Apart, apart, expectBooks, pay, rowsOf } from './apart.ts'

const patience = { timeout: 20_000 }

/** A processor that keeps the first who asks about a charge waiting for its answer. */
function holdingFirstLookup() {
  const [asked, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let lookups = 0
  const around = (processor: Processor): Processor => ({
    ...processor,
    async lookup(request) {
      lookups += 1
      const answer = await processor.lookup(request)
      if (lookups > 1) return answer
      asked.resolve()
      await held.promise
      return answer
    },
  })
  return { around, asked: asked.promise, release: held.resolve }
}

/** An unanswered charge, two minutes ago: time to ask about it. */
async function payUnanswered(fleet: Apart): Promise<void> {
  await pay(fleet, 'tok_test_unknown_approved')
  fleet.clock.advance(120_000)
  for (const child of fleet.children) await child.ask('advance', 120_000)
}

async function told(fleet: Apart) {
  const { payments, events } = await rowsOf(fleet)
  return { is: payments.map(({ status }) => status), announced: events.map(({ type }) => type) }
}

const settled_once = { is: ['succeeded'], announced: ['payment.processing', 'payment.succeeded'] }

describe('a reconciler in a process of its own', () => {
  it('that is killed while it asks the processor leaves the payment to another', async () => {
    const { around, asked, release } = holdingFirstLookup()
    const fleet = await apart({ around })
    const [first, second] = [await fleet.start(), await fleet.start()]
    await payUnanswered(fleet)
    const cut_short = expect(first.ask('reconcile', null)).rejects.toThrow('has ended')
    await asked
    await first.kill()
    await cut_short
    release()
    await second.ask('reconcile', null)
    expect(await told(fleet)).toEqual(settled_once)
    await expectBooks(fleet)
  })

  it('that is frozen while it asks comes too late, and settles nothing a second time', async () => {
    const { around, asked, release } = holdingFirstLookup()
    const fleet = await apart({ around })
    const [sleeper, other] = [await fleet.start(), await fleet.start()]
    await payUnanswered(fleet)
    const pass = sleeper.ask('reconcile', null)
    await asked
    sleeper.freeze()
    release()
    await other.ask('reconcile', null)
    expect(await told(fleet)).toEqual(settled_once)
    sleeper.thaw()
    await pass
    expect(await told(fleet)).toEqual(settled_once)
    await expectBooks(fleet)
  })

  it('that is cut off from the database with the answer in hand changes nothing, and goes on when it is back', async () => {
    const { around, asked, release } = holdingFirstLookup()
    const fleet = await apart({ around })
    const { child: lonely, proxy } = await fleet.startBehindProxy()
    const other = await fleet.start()
    await payUnanswered(fleet)
    const pass = lonely.ask('reconcile', null)
    await asked
    proxy.sever()
    release()
    await other.ask('reconcile', null)
    expect(await told(fleet)).toEqual(settled_once)
    proxy.mend()
    await pass
    await payUnanswered(fleet)
    await expect
      .poll(async () => {
        await lonely.ask('reconcile', null)
        return (await told(fleet)).is
      }, patience)
      .toEqual(['succeeded', 'succeeded'])
    await expectBooks(fleet)
  })
})
