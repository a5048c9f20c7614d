import { isDeepStrictEqual } from 'node:util'
import type { Notification } from '@quittance/core'
import type { Bank } from './bank.ts'
import type { Testimony } from './testimony.ts'

/** Whether money moved, by state: of one charge or refund, all reported states must have the same value. */
const moved: Readonly<Record<string, boolean>> = {
  approved: true,
  settled: true,
  voided: false,
  declined: false,
  succeeded: true,
  refused: false,
}

/** Sees the notifications of the processors, before any fault disturbs them. */
export class NotificationsWitness {
  readonly #testimony: Testimony
  readonly #byId = new Map<string, Notification>()
  /** The first notification of whether money moved under a key. */
  readonly #ends = new Map<string, Notification>()

  constructor(testimony: Testimony) {
    this.#testimony = testimony
  }

  tells({ livemode }: Bank, told: readonly Notification[]): void {
    for (const one of told) {
      const id = `${livemode} ${one.id}`
      const first = this.#byId.get(id)
      if (first === undefined) {
        this.#byId.set(id, one)
        this.#checkEnd(one)
      } else if (!isDeepStrictEqual(first, one)) {
        const [before, now] = [first, one].map(({ key, state }) => `${key} ${JSON.stringify(state)}`)
        this.#testimony.report(
          'M52',
          `the processor told under the id ${one.id} of ${before}, and then of ${now}`,
        )
      }
    }
  }

  /** M6, M19: money that was reported as moved is not reported as not moved later, nor the other way round. */
  #checkEnd(one: Notification): void {
    const { of, key, state } = one
    const is_moved = moved[state.kind]
    if (is_moved === undefined) return
    const first = this.#ends.get(key)
    if (first === undefined) this.#ends.set(key, one)
    else if (moved[first.state.kind] !== is_moved)
      this.#testimony.report(
        of === 'charge' ? 'M6' : 'M19',
        `the processor told that ${key} is ${first.state.kind}, and then that it is ${state.kind}`,
      )
  }
}
