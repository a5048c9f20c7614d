import type { Caller, Engine } from '@quittance/core'
import type { Database } from 'better-sqlite3'
import type { Orders } from './orders.ts'

interface Counter {
  database: Database
  orders: Orders
  engine: Engine
  caller: Caller
  origin: string
}

/**
 * The order and the page on which it is paid, in one transaction: neither is there without the other. Between its
 * beginning and its end nothing is awaited but the engine in it: nobody else gets in between on this connection.
 */
export async function placeOrder(
  { database, orders, engine, caller, origin }: Counter,
  { item, amount }: { item: string; amount: number },
): Promise<string | null> {
  database.exec('BEGIN IMMEDIATE')
  try {
    const { id: reference } = orders.place(item, amount)
    const back = `${origin}/orders/${reference}`
    const page = await engine.withTransaction(database).checkout_sessions.create(caller, {
      amount,
      currency: 'USD',
      reference,
      description: item,
      success_url: back,
      cancel_url: back,
    })
    database.exec(page.isOk() ? 'COMMIT' : 'ROLLBACK')
    return page.isOk() ? page.value.url : null
  } catch (fault) {
    if (database.inTransaction) database.exec('ROLLBACK')
    throw fault
  }
}
