import Database from 'better-sqlite3'

/**
 * What a careful program writes by hand for a payment in one transaction: it reads the payment method and the
 * idempotency key, and writes the payment, its event, the key with its response, and the method's last use.
 * Prepared statements, time-ordered ids, everything synced to disk.
 */
export function rawPayments(filename: string) {
  const db = new Database(filename)
  db.pragma('page_size = 8192')
  db.pragma('journal_mode = WAL')
  db.pragma('synchronous = FULL')
  db.exec(`
    CREATE TABLE methods (id TEXT PRIMARY KEY, status TEXT NOT NULL, used_at TEXT);
    CREATE TABLE payments (id TEXT PRIMARY KEY, status TEXT NOT NULL, amount INTEGER NOT NULL, currency TEXT NOT NULL,
      method TEXT NOT NULL, metadata TEXT NOT NULL, created_at TEXT NOT NULL, succeeded_at TEXT);
    CREATE INDEX payments_by_status ON payments (status, id);
    CREATE INDEX payments_by_method ON payments (method, id);
    CREATE TABLE events (id TEXT PRIMARY KEY, type TEXT NOT NULL, body TEXT NOT NULL, created_at TEXT NOT NULL);
    CREATE INDEX events_by_type ON events (type, id);
    CREATE TABLE keys (key TEXT PRIMARY KEY, fingerprint TEXT NOT NULL, event TEXT NOT NULL, created_at TEXT NOT NULL);
  `)
  db.prepare('INSERT INTO methods VALUES (?, ?, NULL)').run('pm_1', 'active')
  const readMethod = db.prepare('SELECT * FROM methods WHERE id = ?')
  const readKey = db.prepare('SELECT * FROM keys WHERE key = ?')
  const insertPayment = db.prepare('INSERT INTO payments VALUES (?, ?, ?, ?, ?, ?, ?, ?)')
  const insertEvent = db.prepare('INSERT INTO events VALUES (?, ?, ?, ?)')
  const insertKey = db.prepare('INSERT INTO keys VALUES (?, ?, ?, ?)')
  const touchMethod = db.prepare('UPDATE methods SET used_at = ? WHERE id = ?')
  const pay = db.transaction((index: number) => {
    const at = new Date().toISOString()
    const id = `pay_${at}_${String(index).padStart(8, '0')}`
    if (readKey.get(`key${index}`) !== undefined) throw new Error('used')
    readMethod.get('pm_1')
    const payment = {
      object: 'payment',
      id,
      status: 'succeeded',
      amount: 1_000,
      currency: 'USD',
      created_at: at,
    }
    insertPayment.run(id, 'succeeded', 1_000, 'USD', 'pm_1', '{}', at, at)
    insertEvent.run(
      `evt_${id}`,
      'payment.succeeded',
      JSON.stringify({ id: `evt_${id}`, data: { object: payment } }),
      at,
    )
    insertKey.run(`key${index}`, 'f'.repeat(64), `evt_${id}`, at)
    touchMethod.run(at, 'pm_1')
  })
  return { pay: (index: number) => pay.immediate(index), close: () => db.close() }
}
