import { Pool } from 'undici'

/** What a server of payments sends when it listens. */
export interface PaymentsServer {
  port: number
  secret_key: string
  payment_methods: string[]
}

/** `POST /payments` over this many connections. Each call throws unless the response is 200. */
export function clientsOf({ port, secret_key, payment_methods }: PaymentsServer, connections: number) {
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections })
  const headers = { authorization: `Bearer ${secret_key}`, 'content-type': 'application/json' }
  const bodies = payment_methods.map((payment_method) =>
    JSON.stringify({ amount: 1_000, currency: 'USD', payment_method }),
  )
  return {
    async pay(key: string, index: number): Promise<void> {
      const answer = await pool.request({
        method: 'POST',
        path: '/v1/payments',
        headers: { ...headers, 'idempotency-key': key },
        body: bodies[index % bodies.length] ?? '',
      })
      const text = await answer.body.text()
      if (answer.statusCode !== 200) throw new Error(text)
    },
    close: () => pool.close(),
  }
}
