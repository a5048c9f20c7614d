import { randomUUID } from 'node:crypto'
import type { Event } from '@quittance/core'
import type { Database } from 'better-sqlite3'

/** What is sold, in cents. */
export const prices: Readonly<Record<string, number>> = { tea: 1250, coffee: 900 }

export interface Order {
  id: string
  item: string
  amount: number
  /** `open`, then `paid`, when the webhook says so. */
  status: string
  /** Known in the same transaction as the payment. */
  payment: string | null
}

export type Orders = ReturnType<typeof openOrders>

/** The shop's own tables, in the database that the engine keeps its tables in. */
export function openOrders(database: Database) {
  database.exec(`
    CREATE TABLE IF NOT EXISTS shop_orders (
      id TEXT PRIMARY KEY, item TEXT NOT NULL, amount INTEGER NOT NULL, status TEXT NOT NULL, payment TEXT);
    CREATE TABLE IF NOT EXISTS shop_received_events (id TEXT PRIMARY KEY);
    CREATE TABLE IF NOT EXISTS shop_settings (name TEXT PRIMARY KEY, value TEXT NOT NULL)`)
  const insert = database.prepare(`INSERT INTO shop_orders VALUES (@id, @item, @amount, @status, @payment)`)
  const select = database.prepare<[string], Order>('SELECT * FROM shop_orders WHERE id = ?')
  const setPaid = database.prepare(`UPDATE shop_orders SET status = 'paid' WHERE id = ?`)
  const noteEvent = database.prepare('INSERT OR IGNORE INTO shop_received_events VALUES (?)')
  const setting = database.prepare<[string], string>('SELECT value FROM shop_settings WHERE name = ?').pluck()
  const keepSetting = database.prepare('INSERT INTO shop_settings VALUES (?, ?)')
  return {
    place(item: string, amount: number): Order {
      const order: Order = { id: randomUUID(), item, amount, status: 'open', payment: null }
      insert.run(order)
      return order
    },
    get: (id: string): Order | undefined => select.get(id),
    /** An event may come more than once, and is taken once: its id and what follows from it are one transaction. */
    receive: database.transaction((event: Event): 'taken' | 'seen before' => {
      if (noteEvent.run(event.id).changes === 0) return 'seen before'
      if (event.type === 'checkout_session.completed') setPaid.run(event.data.object.reference)
      return 'taken'
    }),
    setting: (name: string): string | undefined => setting.get(name),
    keepSetting: (name: string, value: string) => void keepSetting.run(name, value),
  }
}

/** Runs inside the transaction that records the payment: the order has its payment, or neither is written. */
export function notePayment(event: Event, { tx }: { tx: unknown }): void {
  const { reference, payment } = event.data.object
  // The SQLite store hands over the connection it was given.
  ;(tx as Database).prepare('UPDATE shop_orders SET payment = ? WHERE id = ?').run(payment, reference)
}
