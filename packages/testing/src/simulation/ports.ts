import {
  type Processor,
  ResultAsync,
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
    store: {
      ...store,
      transaction: (scope, work) =>
        new ResultAsync(toStore('transaction', () => store.transaction(scope, work))),
      read: (scope, work) => toStore('read', () => store.read(scope, work)),
      findApiKey: (hash) => toStore('findApiKey', () => store.findApiKey(hash)),
      workspaces: (request) => toStore('workspaces', () => store.workspaces(request)),
      due: (request) => toStore('due', () => store.due(request)),
      nextDue: () => toStore('nextDue', () => store.nextDue()),
      claimDeliveries: (request) => toStore('claimDeliveries', () => store.claimDeliveries(request)),
    },
    processor: {
      ...processor,
      verify: (request) => toProcessor('verify', () => processor.verify(request)),
      charge: (request) => toProcessor('charge', () => processor.charge(request)),
      refund: (request) => toProcessor('refund', () => processor.refund(request)),
      void: (request) => toProcessor('void', () => processor.void(request)),
      lookup: (request) => toProcessor('lookup', () => processor.lookup(request)),
      notifications: (request) => toProcessor('notifications', () => processor.notifications(request)),
    },
  }
}

const writes = new Set(['insert', 'insertNew', 'update', 'delete'])

/** The same transaction; `written` hears the name of every table it writes to. */
export function watchedTransaction(tx: Transaction, written: (table: TableName) => void): Transaction {
  return new Proxy(tx, {
    get(target, name) {
      const table = Reflect.get(target, name, target)
      if (typeof name !== 'string' || !(name in tables)) return table
      return new Proxy(table as object, {
        get(of, method) {
          if (writes.has(String(method))) written(name as TableName)
          const value: unknown = Reflect.get(of, method, of)
          return typeof value === 'function' ? value.bind(of) : value
        },
      })
    },
  })
}
