/** An amount in minor units. Anything else is a mistake of the caller, not a refusal. */
export function assertAmount(amount: number): void {
  if (!Number.isSafeInteger(amount) || amount < 1)
    throw new RangeError(`The amount ${amount} is no positive integer.`)
}

interface MoneyRequest {
  key: string
  amount: number
  currency: string
  /** The token that was charged, or the charge that was refunded. */
  about: string
}

/** A key stands for one request: another amount is a mistake of the caller, to which no answer would be right. */
export function assertSameRequest(again: MoneyRequest, first: MoneyRequest): void {
  if (again.amount === first.amount && again.currency === first.currency && again.about === first.about)
    return
  throw new Error(`The key ${again.key} was used before, for another request.`)
}
