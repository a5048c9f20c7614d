import { expect, it } from 'vitest'
import { attemptDue, registeredEndpoint } from '../../../testing/src/builders/deliveries.ts'
import { accepted, pay } from '../../../testing/src/builders/requests.ts'
import {
  openCheckout,
  payCheckout,
  payInvoice,
  refund,
  sentInvoice,
} from '../../../testing/src/builders/sales.ts'
import { openSandbox, type Sandbox } from '../../../testing/src/builders/sandbox.ts'
import { verify } from '../../src/engine/verify/verify.ts'
import { memoryStore } from '../../src/memory-store/memory-store.ts'
import type { Reads, Store } from '../../src/ports/store.ts'
import { iso } from '../../src/schema/timestamps.ts'

const sales = 30

it('a check finds nothing in a database that is being written to', async () => {
  const sandbox = await openSandbox()
  await registeredEndpoint(sandbox)
  const invoice = (await sentInvoice(sandbox, { total: sales * 1000 })).id
  let selling = true
  const sellers = Promise.all([1, 2, 3].map((seller) => sell(sandbox, { seller, invoice }))).finally(() => {
    selling = false
  })
  const found = []
  while (selling) found.push(...(await sandbox.engine.verify()).violations)
  await sellers
  found.push(...(await sandbox.engine.verify()).violations)
  expect(found).toEqual([])
})

it('what moves between one read and the next is not reported', async () => {
  const sandbox = await openSandbox({ store: memoryStore() })
  const payment = accepted(await pay(sandbox, 'tok_test_visa')).id
  let refunds = 0
  /** Whenever a payment was read, a part of it is given back before anything else is. */
  const store: Store = {
    ...sandbox.store,
    read: (scope, work) =>
      sandbox.store.read(scope, (rows) => {
        const afterwards = async <Answer>(answer: PromiseLike<Answer>) => {
          const read = await answer
          refunds += 1
          accepted(await refund(sandbox, { payment, amount: 1 }))
          return read
        }
        const { get, page } = rows.payments
        const payments: Reads['payments'] = {
          get: (id) => afterwards(get(id)),
          page: (request) => afterwards(page(request)),
        }
        return work(Object.create(rows, { payments: { value: payments } }))
      }),
  }
  const { violations } = await verify({ store, now: iso(sandbox.clock.now()) })
  expect(violations).toEqual([])
  expect(refunds).toBeGreaterThan(5)
})

async function sell(sandbox: Sandbox, { seller, invoice }: { seller: number; invoice: string }) {
  for (let sale = 0; sale < sales; sale += 1) {
    const payment = accepted(await pay(sandbox, 'tok_test_visa')).id
    await refund(sandbox, { payment, amount: 250 })
    if (seller === 1) await payInvoice(sandbox, 'tok_test_visa', { invoice, amount: 10 })
    if (seller === 2) await payCheckout(sandbox, 'tok_test_visa', await openCheckout(sandbox))
    if (seller === 3) await attemptDue(sandbox, sale % 2 === 0 ? null : 'http 503')
  }
}
