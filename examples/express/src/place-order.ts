import type { ShopDatabase } from './database.ts'
import { insertOrder } from './orders.ts'
import type { Payments } from './payments.ts'

interface Counter extends Pick<Payments, 'engine' | 'caller'> {
  database: ShopDatabase
  origin: string
}

/**
 * Creates the order and the page on which it is paid in one transaction: neither exists without the other. Resolves to the
 * page's address, or to null if no page could be opened.
 */
export async function placeOrder(
  { database, engine, caller, origin }: Counter,
  { item, amount }: { item: string; amount: number },
): Promise<string | null> {
  return database.transaction(async (query, handle) => {
    const { id: reference } = await insertOrder(query, item, amount)
    const back = `${origin}/orders/${reference}`
    const page = await engine.withTransaction(handle).checkout_sessions.create(caller, {
      amount,
      currency: 'USD',
      reference,
      description: item,
      success_url: back,
      cancel_url: back,
    })
    return page.isOk() ? page.value.url : null
  })
}
