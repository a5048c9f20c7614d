import { join } from 'node:path'
import { startChild } from './child.ts'
import { clientsOf, type PaymentsServer } from './payments-client.ts'
import { rawPayments } from './raw-payments.ts'
import { inParallel, median, perSecond, type Row, rateOf } from './report.ts'
import { withFolder } from './scratch.ts'

const clients = 32
const rounds = 5
const round_ms = 1_500

/** `POST /payments` end to end, both transactions synced to disk, against one hand-written transaction a payment. */
export function paymentsOverHttp(): Promise<Row[]> {
  return withFolder(async (folder) => {
    const raw = rawPayments(join(folder, 'raw.db'))
    const server = await startChild<PaymentsServer>('./payments-server.ts', [join(folder, 'engine.db')])
    const { pay, close } = clientsOf(server.ready, clients)
    const by_hand: number[] = []
    const by_engine: number[] = []
    let paid = 0
    await inParallel(1_000, clients, (index) => pay(`warm${index}`, index))
    for (let round = 0; round < rounds; round += 1) {
      by_hand.push(await rateOf(round_ms, 1, () => raw.pay(paid++)))
      by_engine.push(await rateOf(round_ms, clients, (index) => pay(`run${round}-${index}`, index)))
    }
    await close()
    await server.stop()
    raw.close()
    return [
      { what: 'hand-written, one transaction a payment, no HTTP', figure: perSecond(median(by_hand)) },
      {
        what: `POST /payments on SQLite, ${clients} clients`,
        figure: perSecond(median(by_engine)),
        ratio: median(by_engine) / median(by_hand),
        goal: { at_least: 1 },
      },
    ]
  })
}
