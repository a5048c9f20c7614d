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

async function sell(sandbox: Sandbox, { seller, invoice }: { seller: number; invoice: string }) {
  for (let sale = 0; sale < sales; sale += 1) {
    const payment = accepted(await pay(sandbox, 'tok_test_visa')).id
    await refund(sandbox, { payment, amount: 250 })
    if (seller === 1) await payInvoice(sandbox, 'tok_test_visa', { invoice, amount: 10 })
    if (seller === 2) await payCheckout(sandbox, 'tok_test_visa', await openCheckout(sandbox))
    if (seller === 3) await attemptDue(sandbox, sale % 2 === 0 ? null : 'http 503')
  }
}
