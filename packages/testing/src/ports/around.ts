import {
  type LeaseRequest,
  type Processor,
  type ScopeLock,
  type Store,
  type TableName,
  type Transaction,
  tables,
} from '@quittance/core'

/** A call of the engine to one of its ports. `n` counts the calls of all ports, from 1. */
export interface PortCall {
  n: number
  port: 'store' | 'processor'
  method: string
}

/** Wraps every call to a port: it runs the call itself, or does not. */
export type Around = <Answer>(call: PortCall, run: () => Promise<Answer>) => Promise<Answer>

/** The functions that wait for a database or a network. */
const remote = {
  store: ['transaction', 'read', 'findApiKey', 'workspaces', 'due', 'nextDue', 'claimDeliveries'],
  processor: ['verify', 'charge', 'refund', 'void', 'lookup', 'notifications'],
} as const satisfies { store: readonly (keyof Store)[]; processor: readonly (keyof Processor)[] }

/** A store and a processor that go through `around` with every call. */
export function aroundPorts(
  ports: { store: Store; processor: Processor },
  around: Around,
): { store: Store; processor: Processor } {
  let calls = 0
  const through = <Name extends PortCall['port']>(port: Name): (typeof ports)[Name] =>
    new Proxy(ports[port], {
      get(target, name) {
        const value = bound(target, name)
        const method = remote[port].find((one) => one === name)
        if (method === undefined || typeof value !== 'function') return value
        return (...given: unknown[]) => {
          calls += 1
          return around({ n: calls, port, method }, async () => await value(...given))
        }
      },
    })
  return { store: through('store'), processor: through('processor') }
}

/** The same object with what `own` overrides. Not a copy of its properties: methods of a class are on its prototype. */
export function withOwn<Whole extends object>(whole: Whole, own: Partial<Whole>): Whole {
  return new Proxy(whole, {
    get: (target, name) => (Object.hasOwn(own, name) ? Reflect.get(own, name) : bound(target, name)),
  })
}

/** A call of a unit of work: to one of its tables, with its arguments, `id` if it is about one row; or to lock its scope. */
type UnitCall =
  | { table: TableName; method: string; id: string | undefined; given: object | string }
  | { table: null; method: 'lockScope'; mode: ScopeLock }

/** The same transaction, with every call through `around`. */
export function aroundUnit(
  tx: Transaction,
  around: (call: UnitCall, run: () => PromiseLike<unknown>) => PromiseLike<unknown>,
): Transaction {
  const lockScope = (mode: ScopeLock) =>
    around({ table: null, method: 'lockScope', mode }, () => tx.lockScope(mode))
  const leaseDeliveries = (request: LeaseRequest) =>
    around({ table: 'deliveries', method: 'leaseDeliveries', id: undefined, given: request }, () =>
      tx.leaseDeliveries(request),
    )
  return new Proxy(tx, {
    get(target, name) {
      if (name === 'lockScope') return lockScope
      if (name === 'leaseDeliveries') return leaseDeliveries
      const value = bound(target, name)
      return isTable(name) ? aroundTable(name, value as object) : value
    },
  })

  function aroundTable(table: TableName, methods: object) {
    return new Proxy(methods, {
      get(target, method) {
        const call = bound(target, method)
        if (typeof call !== 'function') return call
        return (given: string | { id?: string }) => {
          const id = typeof given === 'string' ? given : given.id
          return around({ table, method: String(method), id, given }, () => call(given))
        }
      },
    })
  }
}

export function isTable(name: string | symbol): name is TableName {
  return typeof name === 'string' && name in tables
}

export function bound(target: object, name: string | symbol): unknown {
  const value: unknown = Reflect.get(target, name, target)
  return typeof value === 'function' ? value.bind(target) : value
}
