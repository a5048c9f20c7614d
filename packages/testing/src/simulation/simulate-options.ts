import { option, type Processor, refuseWrongOptions, type SandboxControl, type Store } from '@quittance/core'
import { checkedLedger, type ProcessorLedger } from '../processor/ledger.ts'
import type { Bank } from './bank.ts'
import { type FaultRates, no_faults } from './faults.ts'

export interface SimulateOptions {
  /** Decides everything: what clients request, in which order calls come through, what fails, and when. */
  seed: number
  /** Default true: rates drawn by the seed, most of them 0. False: nothing fails. Or your own rates. */
  faults?: boolean | Partial<FaultRates> | undefined
  /**
   * Makes your own processor, which has to know the sandbox's test tokens: called once for each environment, and each time
   * for a fresh one. Default: the simulated one.
   */
  processor?:
    | (() => { processor: Processor; ledger: ProcessorLedger; control?: SandboxControl | null })
    | undefined
  /** Default: the memory store. It is not closed. */
  store?: Store | undefined
  /** Default true. If false, a history is quicker, and `trace` is empty. */
  trace?: boolean | undefined
}

const rate = {
  says: 'a number from 0 to 1',
  fits: (value: unknown) => typeof value === 'number' && value >= 0 && value <= 1,
}
const rates = Object.fromEntries(Object.keys(no_faults).map((name) => [name, rate])) as Record<
  keyof FaultRates,
  typeof rate
>

/** Throws for mistakes with which the history would not test what was meant. */
export function checkOptions(options: SimulateOptions): void {
  refuseWrongOptions('simulate', options, {
    seed: option.any,
    faults: option.any,
    processor: option.any,
    store: option.having('transaction'),
    trace: option.any,
  })
  const { seed, faults = true, processor } = options
  if (!Number.isSafeInteger(seed)) throw new TypeError(`\`seed\` is a whole number, not ${seed}.`)
  if (typeof faults !== 'boolean') refuseWrongOptions('`faults`', faults, rates)
  if (processor !== undefined && typeof processor !== 'function')
    throw new TypeError('`processor` is a function that gives a fresh `{ processor, ledger }` for each call.')
}

const calls = ['verify', 'charge', 'refund', 'void', 'lookup', 'notifications', 'nextNotificationAt'] as const

/** What `processor` returns, each time that it is called. */
export function banksOf(open: NonNullable<SimulateOptions['processor']>): () => Omit<Bank, 'livemode'> {
  const given = new Set<object>()
  return () => {
    const { processor, ledger, control = null } = open() ?? {}
    if (!processor || typeof ledger?.charges !== 'function' || typeof ledger.refunds !== 'function')
      throw new TypeError(
        '`processor` gives `{ processor, ledger }`, and no promise: its ledger is the second set of books.',
      )
    const missing = calls.filter((call) => typeof processor[call] !== 'function')
    if (missing.length > 0)
      throw new TypeError(`\`processor\` gives one without \`${missing.join('`, `')}\`.`)
    const again = Object.entries({ processor, ledger }).find(([, one]) => given.has(one))
    if (again)
      throw new TypeError(`\`processor\` gave the same ${again[0]} twice: it makes one for each environment.`)
    given.add(processor).add(ledger)
    return { processor, ledger: checkedLedger(ledger), control }
  }
}
