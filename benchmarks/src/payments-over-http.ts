import { join } from 'node:path'
import { Pool } from 'undici'
import { startChild } from './child.ts'
import { rawPayments } from './raw-payments.ts'
import { elapsed, inParallel, perSecond, type Row } from './report.ts'
import { withFolder } from './scratch.ts'

const clients = 32

/** `POST /payments` end to end, both transactions synced to disk, against one hand-written transaction a payment. */
export function paymentsOverHttp(): Promise<Row[]> {
  return withFolder(async (folder) => {
    const raw = rawPayments(join(folder, 'raw.db'))
    const server = await startChild<Ready>('./payments-server.ts', [join(folder, 'engine.db')])
    const pool = new Pool(`http://127.0.0.1:${server.ready.port}`, { connections: clients })
    const pay = payer(pool, server.ready)
    const by_hand: number[] = []
    const by_engine: number[] = []
    const count = 4_000
    await inParallel(1_000, clients, (index) => pay(`warm${index}`))
    for (let round = 0; round < 3; round += 1) {
      const first = round * count
      by_hand.push(
        await elapsed(() => {
          for (let index = 0; index < count; index += 1) raw.pay(first + index)
        }),
      )
      by_engine.push(await elapsed(() => inParallel(count, clients, (index) => pay(`run${first + index}`))))
    }
    await pool.close()
    await server.stop()
    raw.close()
    const hand_ms = sum(by_hand)
    const engine_ms = sum(by_engine)
    return [
      { what: 'hand-written, one transaction a payment, no HTTP', figure: perSecond(3 * count, hand_ms) },
      {
        what: `POST /payments on SQLite, ${clients} clients`,
        figure: perSecond(3 * count, engine_ms),
        ratio: hand_ms / engine_ms,
        goal: '>= 1',
      },
    ]
  })
}

interface Ready {
  port: number
  secret_key: string
  payment_method: string
}

function payer(pool: Pool, { secret_key, payment_method }: Ready) {
  const body = JSON.stringify({ amount: 1_000, currency: 'USD', payment_method })
  const headers = { authorization: `Bearer ${secret_key}`, 'content-type': 'application/json' }
  return async (key: string): Promise<void> => {
    const answer = await pool.request({
      method: 'POST',
      path: '/v1/payments',
      headers: { ...headers, 'idempotency-key': key },
      body,
    })
    const text = await answer.body.text()
    if (answer.statusCode !== 200) throw new Error(text)
  }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
