import { startChild } from './child.ts'
import { clientsOf, type PaymentsServer } from './payments-client.ts'
import { withPostgres } from './postgres-server.ts'
import { rawPostgresPayments } from './raw-postgres-payments.ts'
import { elapsed, inParallel, perSecond, type Row, sum } from './report.ts'

const clients = 32
const rounds = 3

/**
 * `POST /payments` end to end over HTTP on Postgres against a program that makes both transactions by hand, without
 * HTTP, on as many connections. Every eighth of a hundred payments has another card: one card's payments wait for each other.
 */
export function paymentsOnPostgres(): Promise<Row[]> {
  return withPostgres(async (url) => {
    const rows: Row[] = []
    for (const connections of [1, 4, 16]) rows.push(...(await compare(url, connections)))
    return rows
  })
}

async function compare(url: string, connections: number): Promise<Row[]> {
  const count = connections === 1 ? 1_000 : 3_000
  const raw = await rawPostgresPayments(url, connections)
  const server = await startChild<PaymentsServer>('./payments-server.ts', [url, String(connections)])
  const { pay, close } = clientsOf(server.ready, clients)
  const name = `c${connections}`
  const by_hand: number[] = []
  const by_engine: number[] = []
  await inParallel(500, connections, (index) => raw.pay(`${name} warm ${index}`, index))
  await inParallel(500, clients, (index) => pay(`warm${name}${index}`, index))
  for (let round = 0; round < rounds; round += 1) {
    const key = `${name}-${round}-`
    by_hand.push(await elapsed(() => inParallel(count, connections, (index) => raw.pay(key + index, index))))
    by_engine.push(await elapsed(() => inParallel(count, clients, (index) => pay(key + index, index))))
  }
  await close()
  await server.stop()
  await raw.close()
  const [hand_ms, engine_ms] = [sum(by_hand), sum(by_engine)]
  const at = `${connections} connection${connections === 1 ? '' : 's'}`
  return [
    { what: `hand-written, both transactions, no HTTP, ${at}`, figure: perSecond(rounds * count, hand_ms) },
    {
      what: `POST /payments on Postgres, ${clients} clients, ${at}`,
      figure: perSecond(rounds * count, engine_ms),
      ratio: hand_ms / engine_ms,
      ...(connections === 16 ? { goal: { at_least: 0.8 } } : {}),
    },
  ]
}
