import type { Result, Scope, Transaction } from '@quittance/core'
import { type SqlUnit, sqlUnit } from '@quittance/store-sql'

export type Outcome<Value = unknown, Refusal = unknown> =
  | { readonly result: Result<Value, Refusal> }
  | { readonly thrown: unknown }

/** A unit of work and its final outcome: a run of it may count for nothing. */
export class Unit<Value = unknown, Refusal = unknown> {
  readonly scope: Scope
  readonly #work: (tx: Transaction) => PromiseLike<Result<Value, Refusal>>
  #outcome: Outcome<Value, Refusal> | undefined

  constructor(scope: Scope, work: (tx: Transaction) => PromiseLike<Result<Value, Refusal>>) {
    this.scope = scope
    this.#work = work
  }

  async run(session: Omit<SqlUnit, 'scope'>): Promise<Outcome<Value, Refusal>> {
    try {
      return { result: await sqlUnit({ ...session, scope: this.scope }, this.#work) }
    } catch (thrown) {
      return { thrown }
    }
  }

  settle(outcome: Outcome<Value, Refusal>): void {
    this.#outcome = outcome
  }

  result(): Result<Value, Refusal> {
    if (this.#outcome === undefined) throw new Error('the work has not run')
    if ('thrown' in this.#outcome) throw this.#outcome.thrown
    return this.#outcome.result
  }
}

/** Whether what the run wrote is to be committed. */
export function isKept(outcome: Outcome | undefined): boolean {
  return outcome !== undefined && 'result' in outcome && outcome.result.isOk()
}
