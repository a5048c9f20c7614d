import {
  type Answer,
  type Engine,
  type OperationName,
  ok,
  type TableName,
  type Tables,
} from '@quittance/core'
import { payerOf } from '../builders/sales.ts'
import type { Random } from '../random.ts'
import type { SimulatedProcess } from './process.ts'
import type { Place, World } from './world.ts'

/** A merchant, a payer or a dashboard user: sends requests to any process that runs. */
export class Client {
  readonly world: World
  readonly place: Place
  readonly random: Random

  constructor(world: World, place: Place) {
    this.world = world
    this.place = place
    this.random = world.random
  }

  /** Sends one request the way a transport does. Null: no response came. */
  async send(
    operation: OperationName,
    input: object,
    { key }: { key?: string } = {},
  ): Promise<Answer | null> {
    const { world, place } = this
    const process = this.#anyProcess()
    if (process === null) return null
    const text = JSON.stringify(input)
    const asking = world.witness.answers.asking(place.scope, { operation, key, text })
    const told = key === undefined ? text : `${text} under ${key}`
    world.trace.note(() => `${process.name} is asked ${operation} ${told}`)
    const answer = await world.ask(process, operation, (engine) =>
      engine.execute({
        operation,
        caller: callers[operation]?.(place) ?? place.caller,
        input: ok(input),
        request_id: asking.request_id,
        idempotency_key: key,
        fingerprint: asking.fingerprint,
      }),
    )
    if (answer !== null) asking.answered(answer)
    world.trace.note(() => `${process.name} answers ${operation} ${toldOf(answer)}`)
    return answer
  }

  /** Sends a request under a key, and again if no response came. */
  async insist(operation: OperationName, input: object, key = this.key()): Promise<Answer | null> {
    const first = await this.send(operation, input, { key })
    if (first !== null) return first
    this.world.witness.saw('a request was repeated after its answer was lost')
    return this.send(operation, input, { key })
  }

  /** A call that is not a request of the API: from the dashboard, or a hosted page. */
  async call<Value>(what: string, asked: (engine: Engine) => PromiseLike<Value>): Promise<Value | null> {
    const process = this.#anyProcess()
    if (process === null) return null
    this.world.trace.note(() => `${process.name} is asked ${what}`)
    const answer = await this.world.ask(process, what, asked)
    this.world.trace.note(() => `${process.name} answers ${what} ${JSON.stringify(answer)?.slice(0, 120)}`)
    return answer
  }

  /** The committed rows of the client's workspace and environment, by id. */
  rows<Name extends TableName>(table: Name): ReadonlyMap<string, Tables[Name]> {
    return this.world.witness.book.table(this.place.scope, table)
  }

  /** One of these rows, most likely the latest; undefined if there are none. */
  known<Name extends TableName>(
    table: Name,
    where: (row: Tables[Name]) => boolean = () => true,
  ): Tables[Name] | undefined {
    const rows = [...this.rows(table).values()].filter(where)
    if (rows.length === 0) return undefined
    return this.random.below(2) === 0 ? rows.at(-1) : this.random.pick(rows)
  }

  /** A key, or none: most requests need none. */
  keyed(): { key?: string } {
    return this.random.below(3) === 0 ? { key: this.key() } : {}
  }

  /** An Idempotency-Key: mostly a new one, and sometimes one that others use as well. */
  key(): string {
    return this.random.below(4) === 0
      ? `key-${this.random.below(2)}`
      : `key-of-${this.random.below(1_000_000)}`
  }

  /** The same client with the keys of another workspace or environment. */
  elsewhere(place: Place): Client {
    return new Client(this.world, place)
  }

  #anyProcess(): SimulatedProcess | null {
    const { running } = this.world
    if (running.length > 0) return this.random.pick(running)
    this.world.witness.saw('every process was dead')
    return null
  }
}

const callers: { readonly [Name in OperationName]?: (place: Place) => Place['caller'] } = {
  'payment_method_sessions.confirm': ({ browser }) => browser,
  'checkout_sessions.pay': payerOf,
  'invoices.pay': payerOf,
}

function toldOf(answer: Answer | null): string {
  if (answer === null) return 'nothing'
  const { id, status, error } = JSON.parse(answer.body) as {
    id?: string
    status?: string
    error?: { code: string }
  }
  const replayed = answer.replayed ? ', replayed' : ''
  return `${answer.status} ${error?.code ?? `${id ?? ''} ${status ?? ''}`}${replayed}`
}

/** The object of a response that is not a refusal. */
export function objectOf(answer: Answer | null): { id: string; [field: string]: unknown } | null {
  return answer === null || answer.code !== null ? null : JSON.parse(answer.body)
}
