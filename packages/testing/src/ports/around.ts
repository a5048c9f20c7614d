import {
  type LeaseRequest,
  type Processor,
  type ScopeLock,
  type Store,
  type TableName,
  type Transaction,
  tables,
} from '@quittance/core'

/** A call of the engine to one of its ports, `n` counted over all of them from 1. */
export interface PortCall {
  n: number
  port: 'store' | 'processor'
  method: string
}

/** What happens around every call to a port: it runs the call itself, or does not. */
export type Around = <Answer>(call: PortCall, run: () => Promise<Answer>) => Promise<Answer>

/** A store and a processor that go through `around` with every call. */
export function aroundPorts<Ports extends { store: Store; processor: Processor }>(
  { store, processor }: Ports,
  around: Around,
): { store: Store; processor: Processor } {
  let calls = 0
  const call = (port: PortCall['port'], method: string): PortCall => {
    calls += 1
    return { n: calls, port, method }
  }
  const toStore = <Answer>(method: string, run: () => PromiseLike<Answer>) =>
    around(call('store', method), async () => await run())
  const toProcessor = <Answer>(method: string, run: () => PromiseLike<Answer>) =>
    around(call('processor', method), async () => await run())
  return {
    store: withOwn(store, {
      transaction: (scope, work) => toStore('transaction', () => store.transaction(scope, work)),
      read: (scope, work) => toStore('read', () => store.read(scope, work)),
      findApiKey: (hash) => toStore('findApiKey', () => store.findApiKey(hash)),
      workspaces: (request) => toStore('workspaces', () => store.workspaces(request)),
      due: (request) => toStore('due', () => store.due(request)),
      nextDue: (after) => toStore('nextDue', () => store.nextDue(after)),
      claimDeliveries: (request) => toStore('claimDeliveries', () => store.claimDeliveries(request)),
    }),
    processor: withOwn(processor, {
      verify: (request) => toProcessor('verify', () => processor.verify(request)),
      charge: (request) => toProcessor('charge', () => processor.charge(request)),
      refund: (request) => toProcessor('refund', () => processor.refund(request)),
      void: (request) => toProcessor('void', () => processor.void(request)),
      lookup: (request) => toProcessor('lookup', () => processor.lookup(request)),
      notifications: (request) => toProcessor('notifications', () => processor.notifications(request)),
    }),
  }
}

/** The same port, but for what `own` has. No copy of its properties: those of a class are its prototype's. */
export function withOwn<Port extends Store | Processor>(port: Port, own: Partial<Port>): Port {
  return new Proxy(port, {
    get: (target, name) => (Object.hasOwn(own, name) ? Reflect.get(own, name) : bound(target, name)),
  })
}

/** A call of a unit of work: to one of its tables, `id` where it names one row, or for the lock of its scope. */
export type UnitCall =
  | { table: TableName; method: string; id: string | undefined }
  | { table: null; method: 'lockScope'; mode: ScopeLock }

/** The same transaction, which goes through `around` with every call. */
export function aroundUnit(
  tx: Transaction,
  around: (call: UnitCall, run: () => PromiseLike<unknown>) => PromiseLike<unknown>,
): Transaction {
  const lockScope = (mode: ScopeLock) =>
    around({ table: null, method: 'lockScope', mode }, () => tx.lockScope(mode))
  const leaseDeliveries = (request: LeaseRequest) =>
    around({ table: 'deliveries', method: 'leaseDeliveries', id: undefined }, () =>
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
          return around({ table, method: String(method), id }, () => call(given))
        }
      },
    })
  }
}

function isTable(name: string | symbol): name is TableName {
  return typeof name === 'string' && name in tables
}

function bound(target: object, name: string | symbol): unknown {
  const value: unknown = Reflect.get(target, name, target)
  return typeof value === 'function' ? value.bind(target) : value
}
