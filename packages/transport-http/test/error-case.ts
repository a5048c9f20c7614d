import type { ErrorCode, OperationName } from '@quittance/core'
import { simulatedProcessor } from '@quittance/processor-simulator'
import { fresh, openShop, type Reply, type Shop } from './shop.ts'

/** How to get one refusal out of one operation, beside those that every operation has. */
export type ErrorCase = readonly [OperationName, ErrorCode, (shop: Shop) => Promise<Reply>]

/** The same workspace behind an engine whose processor takes cards only. */
export async function cardsOnly(
  { store, keys }: Shop,
  path: string,
  request: { key?: string; body: object },
): Promise<Reply> {
  const { send } = await openShop({ store, processors: { sandbox: simulatedProcessor({ types: ['card'] }) } })
  return send('POST', path, { key: keys.secret, headers: fresh(), ...request })
}
