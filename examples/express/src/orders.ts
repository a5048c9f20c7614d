import { randomUUID } from 'node:crypto'
import type { Event, EventOf, Payment } from '@quittance/core'
import type { Query, ShopDatabase } from './database.ts'

/** What is sold, in cents. */
export const prices: Readonly<Record<string, number>> = { tea: 1250, coffee: 900 }

export interface Order {
  id: string
  item: string
  amount: number
  /** `open`, then what the webhook says of its payment: `paid`, `failed`, `canceled` or `returned`. */
  status: string
  /** The payment that completed its page, written in the same transaction. A bank debit is paid or refused days later. */
  payment: string | null
}

/** The shop's own tables, in the database that the engine keeps its tables in. */
export async function createTables({ create }: ShopDatabase): Promise<void> {
  await create(`
    CREATE TABLE IF NOT EXISTS shop_orders (
      id TEXT PRIMARY KEY, item TEXT NOT NULL, amount INTEGER NOT NULL, status TEXT NOT NULL, payment TEXT);
    CREATE TABLE IF NOT EXISTS shop_received_events (id TEXT PRIMARY KEY);
    CREATE TABLE IF NOT EXISTS shop_settings (name TEXT PRIMARY KEY, value TEXT NOT NULL);`)
}

export async function insertOrder(query: Query, item: string, amount: number): Promise<Order> {
  const order: Order = { id: randomUUID(), item, amount, status: 'open', payment: null }
  await query('INSERT INTO shop_orders VALUES (?, ?, ?, ?, ?)', order.id, item, amount, order.status, null)
  return order
}

export async function findOrder(query: Query, id: string): Promise<Order | undefined> {
  const [order] = await query<Order>('SELECT * FROM shop_orders WHERE id = ?', id)
  return order
}

/** An event may come more than once, but takes effect once: its id and what follows from it are one transaction. */
export async function receiveEvent(
  database: ShopDatabase,
  event: Event,
): Promise<'event taken' | 'event seen before'> {
  const taken = await database.transaction(async (query) => {
    const fresh = await query(
      'INSERT INTO shop_received_events VALUES (?) ON CONFLICT DO NOTHING RETURNING id',
      event.id,
    )
    if (fresh.length === 0) return null
    const { object } = event.data
    if (object.object === 'payment') await followPayment(query, object)
    return 'event taken' as const
  })
  return taken ?? 'event seen before'
}

/** Events come in any order: a late `succeeded` must not pay an order that is no longer `open`. All other ends are final. */
async function followPayment(query: Query, { id, status }: Payment): Promise<void> {
  if (status === 'succeeded')
    await query(`UPDATE shop_orders SET status = 'paid' WHERE payment = ? AND status = 'open'`, id)
  if (status === 'failed' || status === 'canceled' || status === 'returned')
    await query('UPDATE shop_orders SET status = ? WHERE payment = ?', status, id)
}

/** Runs inside the transaction that completes the page: the order has its payment, or neither is written. */
export async function notePayment(
  query: Query,
  { data }: EventOf<'checkout_session.completed'>,
): Promise<void> {
  const { reference, payment } = data.object
  await query('UPDATE shop_orders SET payment = ? WHERE id = ?', payment, reference)
}

/** Returns the value that was stored first: by this process, or by another that was quicker. */
export async function keepSetting(query: Query, name: string, value: string): Promise<string> {
  await query('INSERT INTO shop_settings VALUES (?, ?) ON CONFLICT DO NOTHING', name, value)
  return (await findSetting(query, name)) ?? value
}

export async function findSetting(query: Query, name: string): Promise<string | undefined> {
  const [kept] = await query<{ value: string }>('SELECT value FROM shop_settings WHERE name = ?', name)
  return kept?.value
}
