import type { Engine, Scope } from '@quittance/core'
import { must } from '../must.ts'

/** What is kept of the demonstration shop between two starts. A workspace of its own: yours has only what you put there. */
export interface DemoShop {
  workspace_id: string
  publishable_key: string
}

/** Addresses on which something can be paid at once, in a browser. */
export interface DemoAddresses {
  /** A merchant's own page with Elements on it. */
  shop_url: string
  checkout_url: string
  invoice_url: string
}

/** What the shop sells. */
export const book = { title: 'The Sea Around Us', amount: 4_200, currency: 'USD', price: '$42.00' } as const

export async function seedDemoShop({ admin }: Engine): Promise<DemoShop> {
  const { id: workspace_id } = await admin.workspaces.create({ name: 'Lantern Books' })
  const { key } = must(await admin.keys.create(sandboxOf({ workspace_id }), { type: 'publishable' }))
  return { workspace_id, publishable_key: key }
}

/** The addresses of an earlier start while they can still be paid, else new ones. */
export async function demoAddresses(engine: Engine, shop: DemoShop): Promise<DemoAddresses> {
  return {
    shop_url: new URL('/demo', engine.publicUrl).href,
    checkout_url: await openCheckout(engine, sandboxOf(shop)),
    invoice_url: await openInvoice(engine, sandboxOf(shop)),
  }
}

export function sandboxOf({ workspace_id }: Pick<DemoShop, 'workspace_id'>): Scope {
  return { workspace: workspace_id, livemode: false }
}

async function openCheckout(engine: Engine, scope: Scope): Promise<string> {
  const caller = await engine.caller(scope)
  const { data } = must(await engine.checkout_sessions.list(caller, { limit: 20 }))
  const known = data.find(({ status, url }) => status === 'open' && url !== null)
  const back = new URL('/demo', engine.publicUrl).href
  const { url } =
    known ??
    must(
      await engine.checkout_sessions.create(caller, {
        amount: book.amount,
        currency: book.currency,
        description: `${book.title}, hardcover`,
        reference: 'order-1001',
        success_url: `${back}?paid={CHECKOUT_SESSION_ID}`,
        cancel_url: back,
      }),
    )
  return url ?? ''
}

async function openInvoice(engine: Engine, scope: Scope): Promise<string> {
  const caller = await engine.caller(scope)
  const { data } = must(await engine.invoices.list(caller, { status: 'open', limit: 20 }))
  const known = data.find(({ amount_due, payment_url }) => amount_due > 0 && payment_url !== null)
  if (known?.payment_url) return known.payment_url
  const { admin, clock } = engine
  const day = (days: number) => new Date(clock.now() + days * 86_400_000).toISOString().slice(0, 10)
  const customer = must(
    await admin.customers.create(scope, {
      reference: `reader-${clock.now()}`,
      name: 'Harbor Cafe',
      email: 'billing@harbor-cafe.example',
      phone: '+1 555 0100',
    }),
  )
  const drafted = must(
    await admin.invoices.draft(scope, {
      customer: customer.id,
      number: 'INV-1001',
      currency: 'USD',
      total: 12_500,
      invoice_date: day(-7),
      due_date: day(23),
    }),
  )
  const { payment_url } = must(await admin.invoices.send(scope, { id: drafted.id }))
  return payment_url ?? ''
}
