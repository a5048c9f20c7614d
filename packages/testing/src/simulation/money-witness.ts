import type { ChargeRequest, Lookup, RefundRequest } from '@quittance/core'
import type { Bank } from './bank.ts'
import type { Testimony } from './testimony.ts'

/** Sees every call to the processors. */
export class MoneyWitness {
  /** Keys for which the processor's last look-up answered `unknown`. */
  readonly unknown = new Set<string>()
  readonly #testimony: Testimony

  constructor(testimony: Testimony) {
    this.#testimony = testimony
  }

  /** M4, M5, M47: the processor is asked to charge only for a committed payment, with its amount, in its environment. */
  charging(bank: Bank, request: ChargeRequest): void {
    const payment = this.#named(request.key, 'payments')
    if (payment === undefined) {
      this.#testimony.report('M4', `${request.key} is charged and there is no such payment`)
      return
    }
    if (payment.livemode !== bank.livemode)
      this.#testimony.report('M47', `${payment.id} is charged in the other environment`)
    if (payment.amount !== request.amount || payment.currency !== request.currency)
      this.#testimony.report(
        'M5',
        `${payment.id} is charged ${request.amount} ${request.currency}, not ${payment.amount} ${payment.currency}`,
      )
    if (payment.status !== null) {
      const fenced = payment.evidence === 'not_found'
      this.#testimony.saw(
        fenced
          ? 'a charge arrived after its key was fenced off'
          : 'a charge arrived after its request had given up',
      )
    }
  }

  /** Checks M15 and M47 of the request; returns a check of M16, to be called after it. */
  refunding(bank: Bank, { key, charge_key, amount, currency }: RefundRequest): () => void {
    const { report } = this.#testimony
    const held = () => bank.ledger.refunds().find((one) => one.key === key)
    const refund = this.#named(key, 'refunds')
    if (refund === undefined) report('M15', `${key} is refunded and there is no such refund`)
    else {
      if (refund.livemode !== bank.livemode)
        report('M47', `${refund.id} is refunded in the other environment`)
      if (refund.amount !== amount || refund.currency !== currency)
        report(
          'M15',
          `${refund.id} is refunded with ${amount} ${currency}, not ${refund.amount} ${refund.currency}`,
        )
    }
    const is_new = held() === undefined
    return () => {
      const kind = held()?.state.kind
      const charge = bank.ledger.charges().find((one) => one.key === charge_key)
      if (is_new && kind !== undefined && kind !== 'refused' && charge?.state.kind === 'returned')
        report('M16', `${key} is ${kind} at the processor, after ${charge_key} came back`)
    }
  }

  /** M43: while the request of a charge is running, nobody else looks it up. */
  lookingUp({ key, at }: { key: string; at: string }): void {
    // What was due before a clock was set back is looked up all the same.
    if (this.#testimony.timeline.was_set) return
    const asked = this.#named(key, 'payments') ?? this.#named(key, 'refunds')
    if (asked === undefined || asked.status !== null) return
    for (const { id, intent, lease_until } of this.#testimony.book
      .table(asked, 'idempotency_keys')
      .values()) {
      if (intent === asked.id && lease_until !== null && lease_until > at)
        this.#testimony.report(
          'M43',
          `${asked.id} was looked up at ${at}, and its request runs under ${id} until ${lease_until}`,
        )
    }
  }

  lookedUp({ key }: { key: string }, found: Lookup): void {
    if (found.kind === 'unknown') this.unknown.add(key)
    else this.unknown.delete(key)
  }

  #named<Name extends 'payments' | 'refunds'>(key: string, table: Name) {
    const [workspace = '', id = ''] = key.split('.')
    const livemode = id.includes('_live_')
    return this.#testimony.book.table({ workspace, livemode }, table).get(id)
  }
}
