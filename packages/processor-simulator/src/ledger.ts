import type {
  ChargeAnswer,
  ChargeRequest,
  ChargeState,
  RefundAnswer,
  RefundRequest,
  RefundState,
} from '@quittance/core'

/**
 * Where the simulator writes down what it did, so that a restarted process finds its charges again. Only ever
 * appended to. `append` returns once the entry survives the process; when it throws, nothing was written.
 */
export interface Ledger {
  /** Every entry ever appended, oldest first. Called once, when the processor is made. */
  load(): Entry[]
  append(entry: Entry): void
  /**
   * For a ledger that several processes share: runs `run` while none of the others does, with what they have appended
   * since the last turn or `load`. The processor then does all that it reads or appends within a turn.
   */
  turn?<Value>(run: (appended: Entry[]) => Value): Value
}

export type Entry = ChargeEntry | RefundEntry | ChangeEntry | FenceEntry

/** `undecided` is a charge whose outcome is never found out: a lookup answers `unknown`. */
export type LedgerChargeState = ChargeState | { kind: 'undecided' }

/** What happens next by itself, timed from the step before it. */
export interface Step<State> {
  after_ms: number
  state: State
}

export interface ChargeEntry extends ChargeRequest {
  entry: 'charge'
  answer: ChargeAnswer
  state: LedgerChargeState
  plan: Step<ChargeState>[]
  /** Until when it can be voided; null if never. */
  cut_off_at: string | null
}

export interface RefundEntry extends RefundRequest {
  entry: 'refund'
  answer: RefundAnswer
  state: RefundState
  plan: Step<RefundState>[]
}

/** A later state of a charge or refund. `notified`: the engine is told of it, but not of a void, which it asked for. */
export type ChangeEntry = { entry: 'change'; key: string; at: string; notified: boolean } & (
  | { of: 'charge'; state: ChargeState }
  | { of: 'refund'; state: RefundState }
)

/** A key that was looked up and not found: refused from then on. */
interface FenceEntry {
  entry: 'fence'
  key: string
  at: string
}

/** Lives as long as the object does. Passed to a second simulator, it simulates a restart. */
export function memoryLedger(): Ledger {
  const entries: Entry[] = []
  return {
    load: () => [...entries],
    append(entry) {
      entries.push(entry)
    },
  }
}
