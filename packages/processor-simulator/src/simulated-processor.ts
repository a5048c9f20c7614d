import {
  type ChargeRequest,
  iso,
  type Lookup,
  option,
  type Processor,
  refuseWrongOptions,
  type SandboxProcessor,
} from '@quittance/core'
import { type Book, openBook } from './book.ts'
import { charge, voidCharge } from './charge.ts'
import { sandboxControl } from './control.ts'
import { type FaultableCall, type Faults, faultable } from './faults.ts'
import { type Ledger, memoryLedger } from './ledger.ts'
import type { LedgerCharge, LedgerRefund, Totals } from './records.ts'
import { refund } from './refund.ts'
import { batches, type Settlement } from './settlement.ts'
import { type TestToken, testToken } from './test-tokens.ts'

export interface SimulatedProcessorOptions {
  /** Where it keeps its charges. Default: in memory, lost with the process. */
  ledger?: Ledger | undefined
  /** When bank debits settle. Default: 60 s after the charge. */
  settlement?: Settlement | undefined
  /** Default: cards and US bank accounts. */
  types?: Processor['types'] | undefined
  /** Calls that fail. Default: none. */
  faults?: Faults | undefined
}

export interface SimulatedProcessor extends SandboxProcessor {
  readonly ledger: LedgerView
}

/** The processor's records, to be compared with the engine's. It changes nothing. */
export interface LedgerView {
  /** In the order in which their keys were first used; refused charges too, as their `state` says. */
  charges(): LedgerCharge[]
  refunds(): LedgerRefund[]
  charge(key: string): LedgerCharge | null
  refund(key: string): LedgerRefund | null
  /** By currency. */
  totals(): Record<string, Totals>
}

/**
 * The sandbox's processor. It has no clock: its time is the latest `at` it was given, and what was due by then has
 * happened. The test tokens decide what becomes of a charge. A key that comes again with another amount, currency, token or
 * charge throws, and so does an amount that is not a positive integer.
 */
export function simulatedProcessor(options: SimulatedProcessorOptions = {}): SimulatedProcessor {
  refuseWrongOptions('simulatedProcessor', options, {
    ledger: option.port('load', 'append'),
    settlement: option.any,
    types: option.any,
    faults: option.call,
  })
  const types = options.types ?? ['card', 'us_bank_account']
  const book = openBook(options.ledger ?? memoryLedger())
  const batchAfter = batches(options.settlement ?? { delayMs: 60_000 })
  const faulty = faultable(options.faults ?? (() => 'none'))
  const call = <Answer>(about: FaultableCall, run: () => Answer) => faulty(about, () => book.turn(run))

  function find(token: string, type: ChargeRequest['type']): TestToken | null {
    return types.includes(type) ? testToken(token, type) : null
  }

  return {
    types,
    verify: ({ token, type }) =>
      call(
        { method: 'verify', key: null },
        () => find(token, type)?.verification ?? { kind: 'unknown_token' },
      ),
    charge: (request) =>
      call({ method: 'charge', key: request.key }, () =>
        charge(book, request, { token: find(request.token, request.type), batchAfter }),
      ),
    refund: (request) => call({ method: 'refund', key: request.key }, () => refund(book, request)),
    void: (request) => call({ method: 'void', key: request.key }, () => voidCharge(book, request)),
    lookup: (request) => call({ method: 'lookup', key: request.key }, () => lookup(book, request)),
    notifications: ({ after, at }) =>
      call({ method: 'notifications', key: null }, () => {
        book.advance(at)
        return book.log.after(after)
      }),
    async nextNotificationAt() {
      const next_ms = book.turn(() => book.log.nextUnreported() ?? book.nextDue())
      return next_ms === null ? null : iso(next_ms)
    },
    control: sandboxControl(book),
    ledger: {
      charges: () => book.turn(() => [...book.charges.values()]),
      refunds: () => book.turn(() => [...book.refunds.values()]),
      charge: (key) => book.turn(() => book.charges.get(key) ?? null),
      refund: (key) => book.turn(() => book.refunds.get(key) ?? null),
      totals: () => book.turn(() => structuredClone(Object.fromEntries(book.totals))),
    },
  }
}

function lookup(book: Book, { key, at }: { key: string; at: string }): Lookup {
  const now_ms = book.advance(at)
  const charged = book.charges.get(key)
  if (charged?.state.kind === 'undecided') return { kind: 'unknown' }
  if (charged !== undefined) return { kind: 'charge', state: charged.state }
  const refunded = book.refunds.get(key)
  if (refunded !== undefined) return { kind: 'refund', state: refunded.state }
  if (!book.fences.has(key)) book.post({ entry: 'fence', key, at: iso(now_ms) })
  return { kind: 'not_found' }
}
