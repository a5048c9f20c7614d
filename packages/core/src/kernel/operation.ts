import type { z } from 'zod'
import type { ApiKeyType, KeyScope } from '../api-keys/api-key.ts'
import type { ErrorCode } from '../errors/catalogue.ts'
import type { DomainError } from '../errors/domain-error.ts'
import type { EventType } from '../events/event.ts'
import type { Ids } from '../ports/ids.ts'
import type { Logger } from '../ports/logger.ts'
import type { Processor } from '../ports/processor.ts'
import type { ClaimedDelivery, Reads, Scope, Transaction } from '../ports/store.ts'
import type { WorkspaceRow } from '../workspaces/workspace.ts'
import type { Result } from './result.ts'
import type { Secrets } from './secrets.ts'

/** Who asks: always one workspace in one environment. */
export interface Caller {
  workspace: WorkspaceRow
  livemode: boolean
  /** The kind of key the caller used; `page` is the hosted page itself, for a payer. */
  key: ApiKeyType | 'page'
  scopes: readonly KeyScope[]
  /** The dashboard user, for the audit log; absent for an API key. */
  actor?: string
  /** Where the request came from, for the record of an ACH authorization. */
  ip_address: string | null
  user_agent: string | null
}

/** What all work gets: its scope, the time it began, and where ids and secrets come from. */
export interface Context {
  scope: Scope
  now: string
  /** The same moment by the real clock, for the leases of deliveries. */
  real_now: string
  ids: Ids
  secrets: Secrets
  /** The processor of this environment, if it has one. */
  processor: Processor | undefined
  logger: Logger
  /** Where payers reach this engine. Links to hosted pages begin with it. */
  public_url: string
  /** Whether webhook endpoints may use `http` and private hosts, for development. */
  allow_insecure_destinations: boolean
}

/** What an event tells: what happened to an object, the object after it, and when. */
export interface Happened {
  type: EventType
  object: { object: string; id: string }
  at: string
}

/** One unit of work: everything read and written through `tx` commits together or not at all. */
export interface Unit extends Context {
  tx: Transaction
  /** Files an event and its deliveries in this unit. */
  announce(happened: Happened): Promise<void>
  /** Has a delivery that this unit filed sent once it has committed. */
  sendAfterCommit(filed: FiledDelivery): void
}

/** A filed delivery with what its sender needs, as a claim returns it. */
export type FiledDelivery = Omit<ClaimedDelivery, 'ahead'>

/** Units of work for what happens outside a request, each at its own `now`. */
export interface Units extends Context {
  work<Value>(
    run: (unit: Unit) => PromiseLike<Result<Value, DomainError>>,
  ): PromiseLike<Result<Value, DomainError>>
  /** A unit that never refuses: it commits, or it throws. */
  write<Value>(run: (unit: Unit) => PromiseLike<Value>): Promise<Value>
  /** Reads what is committed, in no unit. */
  read<Value>(run: (rows: Reads) => PromiseLike<Value>): Promise<Value>
}

/** Reads of what is committed, in no unit. */
export interface Reading extends Context {
  rows: Reads
}

/** Work that a request asked for. */
export type Asked<Work> = Work & { caller: Caller }

/** Which keys open an operation, and the scope a secret key needs (null: none). */
export type Access =
  | { key: 'secret'; scope: KeyScope | null }
  | { key: 'secret or browser'; scope: KeyScope }
  | { key: 'browser' }
  | { key: 'page' }

interface Definition<Input extends z.ZodType, Output, Codes extends readonly ErrorCode[]> {
  access: Access
  input: Input
  output: z.ZodType<Output>
  /** The codes it can refuse with, besides those of every operation. The compiler enforces the list. */
  errors: Codes
  /** The switch of its workspace without which it is refused with `refunds_disabled`. */
  needs?: 'refunds_enabled'
  /** Search bodies for card and account numbers before anything of them is stored. */
  refuses?: 'payment details in the clear'
}

type Refusable<Value, Codes extends readonly ErrorCode[]> = PromiseLike<
  Result<Value, DomainError<NoInfer<Codes>[number]>>
>

/** Reads. */
export function query<Input extends z.ZodType, Output, const Codes extends readonly ErrorCode[]>(
  definition: Definition<Input, Output, Codes> & {
    run(reading: Asked<Reading>, input: z.output<Input>): Refusable<NoInfer<Output>, Codes>
  },
) {
  return { kind: 'query' as const, ...definition }
}

/** Writes, in one unit of work. */
export function command<Input extends z.ZodType, Output, const Codes extends readonly ErrorCode[]>(
  definition: Definition<Input, Output, Codes> & {
    run(unit: Asked<Unit>, input: z.output<Input>): Refusable<NoInfer<Output>, Codes>
    /**
     * Runs before `run`, in units of work of its own: work that would block other units for too long inside this one. Also
     * before the Idempotency-Key is looked up, so on each replay: it must be safe to repeat.
     */
    before?(units: Units, input: z.output<Input>): Promise<void>
  },
) {
  return { kind: 'command' as const, ...definition }
}

/** What a call of the processor is about: the id of the record that was made for it, if there is one. */
export interface Reserved {
  id: string | null
}

/**
 * Asks the processor between two units of work: `reserve` commits the intent, `call` runs without a transaction, `record`
 * commits the outcome, and `answer` turns that into the response, so that a refused charge becomes an error.
 */
export function remote<
  Input extends z.ZodType,
  Output,
  Intent extends Reserved,
  Outcome,
  Kept extends object,
  const Codes extends readonly ErrorCode[],
  Key extends 'required' | 'optional',
>(
  definition: Definition<Input, Output, Codes> & {
    idempotency_key: Key
    reserve(unit: Asked<Unit>, input: z.output<Input>): Refusable<Intent, Codes>
    call(context: Asked<Context>, intent: NoInfer<Intent>): PromiseLike<Outcome>
    record(unit: Asked<Unit>, intent: NoInfer<Intent>, outcome: NoInfer<Outcome>): Refusable<Kept, Codes>
    answer(kept: NoInfer<Kept>): Result<NoInfer<Output>, DomainError<NoInfer<Codes>[number]>>
    /** The outcome to record where recording the real one failed. Null for an intent that is never shown. */
    unanswered: NoInfer<Outcome> | null
    /** Looks up what became of an intent whose request was cut off, and returns its record; null if there is none. */
    recover: ((units: Units, intent_id: string) => PromiseLike<NoInfer<Kept> | null>) | null
  },
) {
  return { kind: 'remote' as const, ...definition }
}

/**
 * A test helper: makes something happen in the sandbox, in units of work of its own. Any secret key may call it, whatever its
 * scopes. An Idempotency-Key is taken only once it has happened.
 */
export function testHelper<Input extends z.ZodType, Output>(definition: {
  input: Input
  needs?: never
  refuses?: never
  run(caller: Caller, input: z.output<Input>): PromiseLike<Result<Output, DomainError>>
}) {
  return { kind: 'test_helper' as const, access: { key: 'secret', scope: null } as Access, ...definition }
}

/** Any test helper. */
export type TestHelperOperation = ReturnType<typeof testHelper<z.ZodType, unknown>>

/** Any operation, for code that runs all of them the same way. */
export type Operation =
  | ReturnType<typeof query<z.ZodType, unknown, readonly ErrorCode[]>>
  | ReturnType<typeof command<z.ZodType, unknown, readonly ErrorCode[]>>
  | ReturnType<
      typeof remote<
        z.ZodType,
        unknown,
        Reserved,
        unknown,
        object,
        readonly ErrorCode[],
        'required' | 'optional'
      >
    >
