import { memoryStore } from '@quittance/core'
import { elapsed, inParallel, perSecond, type Row } from './report.ts'
import { must, openShop } from './shop.ts'

/** Payments on the memory store: what an operation costs without I/O. */
export async function operationOverhead(): Promise<Row[]> {
  const { engine, scope, payment_method } = await openShop(memoryStore())
  const caller = await engine.caller(scope)
  const pay = (key: string) => async (index: number) =>
    must(
      await engine.payments.create(
        caller,
        { amount: 1_000, currency: 'USD', payment_method },
        { idempotency_key: `${key}${index}` },
      ),
    )
  await inParallel(5_000, 32, pay('warm'))
  const count = 30_000
  const took_ms = await elapsed(() => inParallel(count, 32, pay('run')))
  return [
    {
      what: 'payments on the memory store, 32 at a time',
      figure: perSecond((count * 1000) / took_ms),
      goal: { measured: (count * 1000) / took_ms, at_least: 15_000, unit: '/s' },
    },
  ]
}
