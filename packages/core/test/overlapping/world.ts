import { freshKey, send } from '../../../testing/src/builders/requests.ts'
import { payerOf } from '../../../testing/src/builders/sales.ts'
import type { Sandbox } from '../../../testing/src/builders/sandbox.ts'
import type { Random } from '../../../testing/src/random.ts'
import type { OperationName } from '../../src/engine/operations.ts'
import type { JoinedEngine } from '../../src/engine/with-transaction.ts'
import type { DomainError } from '../../src/errors/domain-error.ts'
import type { Result } from '../../src/kernel/result.ts'
import type { TableName } from '../../src/ports/tables.ts'
import type { SharedRows } from '../stores/tested-store.ts'
import type { Ledger } from './ledger.ts'

/** A process, or what it does in a transaction of the host's. */
export type Joined = Omit<Sandbox, 'engine'> & { engine: JoinedEngine }

export interface Outcome {
  status: number
  code: string | null
  body: string
}

/** A field that an accepted request leaves with a value, unless another one writes it too. */
export interface Written {
  table: TableName
  id: string
  field: string
  value: unknown
}

/** One request of a group, drawn and prepared before any of the group is sent. */
export interface Request {
  about: string
  run(process: Sandbox): Promise<Outcome>
  /** The same in a transaction of the host's, where it can be part of one. */
  join?(process: Joined): Promise<Outcome>
  key?: string | undefined
  writes?: readonly Written[]
  /** What a write-off forgives of an invoice. */
  forgives?: { invoice: string; amount: number }
  /** The endpoint that hears nothing once this is answered, or may hear again once it is asked. */
  silences?: string
  wakes?: string
  /** Others can be asked before and go on after the time that it jumps to. */
  sets_clock?: true
  /** What must hold once all have been answered; null where it does. */
  afterwards?(process: Sandbox): Promise<string | null>
}

/** Objects that requests are about. */
export type Kind =
  | 'customer'
  | 'open_session'
  | 'session'
  | 'one_time'
  | 'saved'
  | 'payment'
  | 'refund'
  | 'checkout'
  | 'invoice'
  | 'endpoint'
  | 'event'
  | 'connection'
  | 'api_key'

/** Each makes one, and answers its id. */
export type Makers = Readonly<Record<Kind, (world: World) => Promise<string>>>

export type Draw = (world: World) => Promise<Request>

interface Surroundings {
  sandbox: Sandbox
  random: Random
  ledger: Ledger
  makers: Makers
  begin?: SharedRows['begin'] | undefined
}

const session_tokens = [
  ...Array<string>(5).fill('tok_test_visa'),
  ...Array<string>(3).fill('btok_test_success'),
  'tok_test_declined',
  'tok_test_refund_pending',
  'tok_test_unknown_approved',
  'tok_test_unknown_declined',
  'tok_test_unreachable',
]

/** What requests of a group meet on: one or two objects of each kind, made when one is first asked for. */
export class World {
  readonly sandbox: Sandbox
  readonly random: Random
  readonly ledger: Ledger
  readonly makers: Makers
  /** Opens a transaction of a host, where there is a database to have one in. */
  readonly begin: SharedRows['begin'] | undefined
  /** The secrets of API keys, by id. */
  readonly secrets = new Map<string, string>()
  readonly #known = new Map<Kind, string[]>()

  constructor({ sandbox, random, ledger, makers, begin }: Surroundings) {
    this.sandbox = sandbox
    this.random = random
    this.ledger = ledger
    this.makers = makers
    this.begin = begin
  }

  async one(kind: Kind): Promise<string> {
    const known = this.#known.get(kind) ?? []
    const enough = known.length > 1 || this.random.below(5) > 0
    if (known.length > 0 && enough) return this.random.pick(known)
    const made = await this.makers[kind](this)
    this.knows(kind, made)
    return made
  }

  has(kind: Kind): boolean {
    return this.#known.has(kind)
  }

  knows(kind: Kind, id: string): void {
    this.#known.set(kind, [...(this.#known.get(kind) ?? []), id])
  }

  /** Often enough one that another request of the group uses as well. */
  key(): string {
    return this.random.below(4) === 0 ? `shared-${this.random.below(2)}` : freshKey()
  }

  keyed(): string | undefined {
    return this.random.below(3) === 0 ? this.key() : undefined
  }

  token(): string {
    return this.random.pick(session_tokens)
  }
}

/** A request of the API, as a transport sends it; `page`: as a hosted page does. */
export function asked(
  operation: OperationName,
  input: object,
  { key, page = false, ...rest }: Omit<Partial<Request>, 'run' | 'about'> & { page?: boolean } = {},
): Request {
  const under = key === undefined ? '' : ` under ${key}`
  return {
    about: `${operation} ${JSON.stringify(input)}${under}`,
    key,
    run: (process) => {
      const caller = page ? payerOf(process) : process.caller
      return send({ ...process, caller }, operation, { input, ...(key === undefined ? {} : { key }) })
    },
    async join({ engine, caller }) {
      const [resource = '', verb = ''] = operation.split('.')
      const call: unknown = Reflect.get(Reflect.get(engine, resource), verb)
      if (typeof call !== 'function') throw new Error(`there is no ${operation}`)
      return outcomeOf(await call(caller, input, key === undefined ? {} : { idempotency_key: key }))
    },
    ...rest,
  }
}

/** Something that is no request of the API. */
export function called(
  about: string,
  call: (process: Sandbox) => PromiseLike<Result<unknown, { code: string }>>,
  rest: Omit<Partial<Request>, 'run' | 'about'> = {},
): Request {
  return {
    about,
    run: async (process) => outcomeOf(await call(process)),
    ...rest,
  }
}

/** What a dashboard does, in a unit of work of its own or in a transaction of the host's. */
export function acted(
  about: string,
  call: (process: Sandbox | Joined) => PromiseLike<Result<unknown, DomainError>>,
  rest: Omit<Partial<Request>, 'run' | 'about'> = {},
): Request {
  const act = async (process: Sandbox | Joined) => outcomeOf(await call(process))
  return { about, run: act, join: act, ...rest }
}

function outcomeOf(result: Result<unknown, { code: string }>): Outcome {
  if (result.isOk()) return { status: 200, code: null, body: JSON.stringify(result.value) }
  return { status: 400, code: result.error.code, body: JSON.stringify(result.error) }
}
