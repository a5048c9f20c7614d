import { join } from 'node:path'
import { startChild } from './child.ts'
import { clientsOf, type PaymentsServer } from './payments-client.ts'
import { rawPayments } from './raw-payments.ts'
import { elapsed, inParallel, perSecond, type Row, sum } from './report.ts'
import { withFolder } from './scratch.ts'

const clients = 32

/** `POST /payments` end to end, both transactions synced to disk, against one hand-written transaction a payment. */
export function paymentsOverHttp(): Promise<Row[]> {
  return withFolder(async (folder) => {
    const raw = rawPayments(join(folder, 'raw.db'))
    const server = await startChild<PaymentsServer>('./payments-server.ts', [join(folder, 'engine.db')])
    const { pay, close } = clientsOf(server.ready, clients)
    const by_hand: number[] = []
    const by_engine: number[] = []
    const count = 4_000
    await inParallel(1_000, clients, (index) => pay(`warm${index}`, index))
    for (let round = 0; round < 3; round += 1) {
      const first = round * count
      by_hand.push(
        await elapsed(() => {
          for (let index = 0; index < count; index += 1) raw.pay(first + index)
        }),
      )
      by_engine.push(
        await elapsed(() => inParallel(count, clients, (index) => pay(`run${first + index}`, index))),
      )
    }
    await close()
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
        goal: { at_least: 1 },
      },
    ]
  })
}
