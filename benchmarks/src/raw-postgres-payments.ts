import pg from 'pg'

/**
 * What a careful program writes by hand for a payment that must survive a crash during the processor's call: one transaction
 * with the intent, one with the outcome, the same rows as the engine's. A named statement per round trip.
 */
export async function rawPostgresPayments(url: string, connections: number) {
  const pool = new pg.Pool({ connectionString: url, max: connections })
  // A connection may be terminated with its database before it has closed.
  pool.on('error', () => {})
  await pool.query(schema)
  await pool.query(
    `INSERT INTO raw.methods SELECT 'pm_' || n, 'tok_visa', 'active' FROM generate_series(0, 63) n ON CONFLICT DO NOTHING`,
  )
  const inTransaction = async (work: (run: Run) => Promise<void>) => {
    const client = await pool.connect()
    const run: Run = (name, values = []) => client.query({ name, text: statements[name], values })
    await run('begin')
    await work(run)
    await run('commit')
    client.release()
  }
  return {
    async pay(key: string, index: number): Promise<void> {
      const at = new Date().toISOString()
      const id = `pay_${at}_${key}`
      const method = `pm_${index % 64}`
      await inTransaction(async (run) => {
        if ((await run('readKey', [key])).rowCount !== 0) throw new Error('used')
        await run('lockMethod', [method])
        await run('insertPayment', [id, 'processing', 1_000, 'USD', method, '{}', at, at])
        await run('insertKey', [key, 'f'.repeat(64), id, at])
      })
      await inTransaction(async (run) => {
        await run('lockPayment', [id])
        await run('updatePayment', [id, 'succeeded', at])
        const payment = {
          object: 'payment',
          id,
          status: 'succeeded',
          amount: 1_000,
          currency: 'USD',
          created_at: at,
        }
        const event = {
          object: 'event',
          id: `evt_${id}`,
          type: 'payment.succeeded',
          data: { object: payment },
        }
        await run('insertEvent', [event.id, event.type, JSON.stringify(event), at])
        await run('readEndpoints')
        await run('lockKey', [key])
        await run('answerKey', [key, event.id])
      })
    },
    close: () => pool.end(),
  }
}

type Run = (name: keyof typeof statements, values?: unknown[]) => Promise<pg.QueryResult>

const schema = `
CREATE SCHEMA IF NOT EXISTS raw;
CREATE TABLE IF NOT EXISTS raw.methods (id text PRIMARY KEY, token text, status text);
CREATE TABLE IF NOT EXISTS raw.payments (id text PRIMARY KEY, status text, amount bigint, currency text, method text,
  metadata json, created_at text, changed_at text);
CREATE TABLE IF NOT EXISTS raw.events (id text PRIMARY KEY, type text, body text, created_at text);
CREATE TABLE IF NOT EXISTS raw.endpoints (id text PRIMARY KEY, url text);
CREATE TABLE IF NOT EXISTS raw.keys (key text PRIMARY KEY, fingerprint text, answer text, created_at text);
CREATE INDEX IF NOT EXISTS payments_by_status ON raw.payments (status, id);
CREATE INDEX IF NOT EXISTS events_by_type ON raw.events (type, id);`

const statements = {
  begin: 'BEGIN',
  commit: 'COMMIT',
  readKey: 'SELECT * FROM raw.keys WHERE key = $1 FOR UPDATE',
  lockKey: 'SELECT answer FROM raw.keys WHERE key = $1 FOR UPDATE',
  lockMethod: 'SELECT * FROM raw.methods WHERE id = $1 FOR UPDATE',
  insertPayment: 'INSERT INTO raw.payments VALUES ($1, $2, $3, $4, $5, $6, $7, $8)',
  insertKey: 'INSERT INTO raw.keys VALUES ($1, $2, $3, $4)',
  lockPayment: 'SELECT * FROM raw.payments WHERE id = $1 FOR UPDATE',
  updatePayment: 'UPDATE raw.payments SET status = $2, changed_at = $3 WHERE id = $1',
  insertEvent: 'INSERT INTO raw.events VALUES ($1, $2, $3, $4)',
  readEndpoints: 'SELECT * FROM raw.endpoints ORDER BY id DESC LIMIT 16',
  answerKey: 'UPDATE raw.keys SET answer = $2 WHERE key = $1',
} as const
