import {
  accepted,
  confirmedSession,
  createdMethod,
  freshKey,
  openSession,
  pay,
  send,
} from '../../../testing/src/builders/requests.ts'
import {
  newCustomer,
  openCheckout,
  payCheckout,
  payerOf,
  payInvoice,
  refund,
  sentInvoice,
} from '../../../testing/src/builders/sales.ts'
import type { Sandbox } from '../../../testing/src/builders/sandbox.ts'
import { readRows } from '../../../testing/src/invariants/rows.ts'
import type { Random } from '../../../testing/src/simulation/random.ts'
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

export type Draw = (world: World) => Promise<Request>

const session_tokens = [
  ...Array<string>(5).fill('tok_test_visa'),
  ...Array<string>(3).fill('btok_test_success'),
  'tok_test_declined',
  'tok_test_refund_pending',
  'tok_test_unknown_approved',
  'tok_test_unknown_declined',
  'tok_test_unreachable',
]

const payment_tokens = [
  ...Array<string>(4).fill('tok_test_visa'),
  ...Array<string>(4).fill('btok_test_success'),
  ...Array<string>(3).fill('tok_test_refund_pending'),
  'tok_test_declined',
  'tok_test_chargeback',
  'tok_test_refund_fails',
  'tok_test_refund_refused',
  'tok_test_unknown_approved',
  'btok_test_account_closed',
  'btok_test_late_return',
]

interface Surroundings {
  sandbox: Sandbox
  random: Random
  ledger: Ledger
  begin?: SharedRows['begin'] | undefined
}

/** What requests of a group meet on: one or two objects of each kind, made when one is first asked for. */
export class World {
  readonly sandbox: Sandbox
  readonly random: Random
  readonly ledger: Ledger
  /** Opens a transaction of a host, where there is a database to have one in. */
  readonly begin: SharedRows['begin'] | undefined
  /** The secrets of API keys, by id. */
  readonly secrets = new Map<string, string>()
  readonly #known = new Map<Kind, string[]>()

  constructor({ sandbox, random, ledger, begin }: Surroundings) {
    this.sandbox = sandbox
    this.random = random
    this.ledger = ledger
    this.begin = begin
  }

  async one(kind: Kind): Promise<string> {
    const known = this.#known.get(kind) ?? []
    const enough = known.length > 1 || this.random.below(5) > 0
    if (known.length > 0 && enough) return this.random.pick(known)
    const made = await makers[kind](this)
    this.knows(kind, made)
    return made
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

const makers = {
  customer: ({ sandbox }: World) => newCustomer(sandbox),
  open_session: async ({ sandbox }: World) => (await openSession(sandbox, 'tok_test_visa')).id,
  session: async (world: World) => (await confirmedSession(world.sandbox, world.token())).id,
  one_time: async (world: World) => (await createdMethod(world.sandbox, world.token())).id,
  async saved(world: World) {
    const customer = await world.one('customer')
    return (await createdMethod(world.sandbox, world.token(), { customer })).id
  },
  payment: makePayment,
  async refund(world: World) {
    const { sandbox } = world
    const payment = accepted(await pay(sandbox, 'tok_test_refund_pending')).id
    world.knows('payment', payment)
    return accepted(await refund(sandbox, { payment, amount: 400 })).id
  },
  checkout: async ({ sandbox }: World) => (await openCheckout(sandbox, { expires_in: 1800 })).id,
  async invoice(world: World) {
    const { sandbox, random } = world
    const discount = { early_payment_discount: { amount: 100, until: '2026-02-10' } }
    return (
      await sentInvoice(sandbox, {
        customer: await world.one('customer'),
        total: random.pick([1000, 1400]),
        ...(random.below(4) === 0 ? discount : {}),
      })
    ).id
  },
  async endpoint({ sandbox, random }: World) {
    const url = freshUrl(random)
    const { engine, caller } = sandbox
    return accepted(await engine.webhook_endpoints.create(caller, { url, enabled_events: ['*'] })).id
  },
  async event(world: World) {
    accepted(await pay(world.sandbox, 'tok_test_visa'))
    const { events } = await readRows(world.sandbox.store, world.sandbox.scope)
    return world.random.pick(events).id
  },
  connection: ({ sandbox }: World) =>
    sandbox.engine.backOffice.connect(sandbox.scope, {
      kind: 'ledger',
      base_url: 'https://ledger.example.com',
      site_id: '1',
      token: 'secret',
    }),
  async api_key({ sandbox, secrets }: World) {
    const { id, key } = accepted(await sandbox.engine.admin.keys.create(sandbox.scope, { type: 'secret' }))
    secrets.set(id, key)
    return id
  },
}
export type Kind = keyof typeof makers

/** Taken by the API, on a checkout page, or for an invoice. */
async function makePayment(world: World): Promise<string> {
  const { sandbox, random } = world
  const token = random.pick(payment_tokens)
  const ways = [
    () => pay(sandbox, token),
    () => pay(sandbox, token),
    async () => payCheckout(sandbox, token, { id: (await openCheckout(sandbox)).id }),
    async () => payInvoice(sandbox, token, { invoice: await world.one('invoice'), amount: 400 }),
    () => payInvoiceBySaved(world),
  ]
  const made = await random.pick(ways)()
  if (made.isOk()) return made.value.id
  const declined = made.error.extra?.payment
  return declined ?? accepted(await pay(sandbox, 'tok_test_visa')).id
}

async function payInvoiceBySaved(world: World) {
  const { engine, caller } = world.sandbox
  const on = { payment_method: await world.one('saved'), invoice: await world.one('invoice') }
  const input = { amount: 400, currency: 'USD' as const, ...on }
  return engine.payments.create(caller, input, { idempotency_key: freshKey() })
}

export function freshUrl(random: Random): string {
  return `https://receiver.example.com/hooks/${random.below(1_000_000_000)}`
}
