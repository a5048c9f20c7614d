import type { Kysely, Transaction } from 'kysely'
import type { HostTransaction } from '../../testing/src/store/open-store.ts'

/** The host's own tables in the tests of joined transactions. */
export interface HostTables {
  host_orders: { id: string }
}

/** The callback's transaction, held open until it is told how to end. */
export async function begunByKysely(kysely: Kysely<HostTables>): Promise<HostTransaction> {
  const opened = Promise.withResolvers<Transaction<HostTables>>()
  const end = Promise.withResolvers<void>()
  const ended = kysely.transaction().execute((transaction) => {
    opened.resolve(transaction)
    return end.promise
  })
  ended.catch(opened.reject)
  const native = await opened.promise
  return {
    native,
    order: (id) => insert(native, id),
    async commit() {
      end.resolve()
      await ended
    },
    async rollback() {
      const reason = new Error('the host rolls back')
      end.reject(reason)
      await ended.catch((fault) => {
        if (fault !== reason) throw fault
      })
    },
  }
}

/** The transaction that is ended by its own methods. */
export async function begunControlled(kysely: Kysely<HostTables>): Promise<HostTransaction> {
  const native = await kysely.startTransaction().execute()
  return {
    native,
    order: (id) => insert(native, id),
    commit: async () => void (await native.commit().execute()),
    rollback: async () => void (await native.rollback().execute()),
  }
}

async function insert(transaction: Transaction<HostTables>, id: string): Promise<void> {
  await transaction.insertInto('host_orders').values({ id }).execute()
}
