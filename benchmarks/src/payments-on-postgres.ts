import { startChild } from './child.ts'
import { clientsOf, type PaymentsServer } from './payments-client.ts'
import { withPostgres } from './postgres-server.ts'
import { rawPostgresPayments } from './raw-postgres-payments.ts'
import { inParallel, median, perSecond, type Row, rateOf } from './report.ts'

const clients = 32
const rounds = 5
const round_ms = 1_500

/**
 * `POST /payments` end to end over HTTP on Postgres, against a program that makes both transactions by hand, without HTTP, on
 * as many connections. Both charge 64 cards in turn, because payments with one card wait for each other.
 */
export function paymentsOnPostgres(): Promise<Row[]> {
  return withPostgres(async (url) => {
    const rows: Row[] = []
    for (const connections of [1, 4, 16]) rows.push(...(await compare(url, connections)))
    return rows
  })
}

async function compare(url: string, connections: number): Promise<Row[]> {
  const raw = await rawPostgresPayments(url, connections)
  const server = await startChild<PaymentsServer>('./payments-server.ts', [url, String(connections)])
  const { pay, close } = clientsOf(server.ready, clients)
  const by_hand: number[] = []
  const by_engine: number[] = []
  await inParallel(200, connections, (index) => raw.pay(`${connections} warm ${index}`, index))
  await inParallel(200, clients, (index) => pay(`warm${connections}-${index}`, index))
  for (let round = 0; round < rounds; round += 1) {
    const key = `${connections}-${round}-`
    by_hand.push(await rateOf(round_ms, connections, (index) => raw.pay(key + index, index)))
    by_engine.push(await rateOf(round_ms, clients, (index) => pay(key + index, index)))
  }
  await close()
  await server.stop()
  await raw.close()
  const at = `${connections} connection${connections === 1 ? '' : 's'}`
  return [
    { what: `hand-written, both transactions, no HTTP, ${at}`, figure: perSecond(median(by_hand)) },
    {
      what: `POST /payments on Postgres, ${clients} clients, ${at}`,
      figure: perSecond(median(by_engine)),
      ratio: median(by_engine) / median(by_hand),
      ...(connections === 16 ? { goal: { at_least: 0.8 } } : {}),
    },
  ]
}
