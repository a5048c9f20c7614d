import type { LeaseRequest, TableName, Tables, Transaction } from '@quittance/core'
import type { Write } from '../invariants/book.ts'
import { aroundUnit } from '../ports/around.ts'

/** The same transaction; every row that it writes is added to `writes`. */
export function recordedTransaction(tx: Transaction, writes: Write[]): Transaction {
  return aroundUnit(tx, async (call, run) => {
    const answer = await run()
    if (call.table === null || answer === false) return answer
    const { table, method, id = '', given } = call
    if (method === 'insert' || method === 'insertNew' || method === 'update')
      writes.push({ table, id, is: { ...(given as Tables[TableName]) } })
    if (method === 'delete') writes.push({ table, id, is: null })
    if (method === 'leaseDeliveries') writes.push(...(await leasedIn(tx, given as LeaseRequest)))
    return answer
  })
}

async function leasedIn({ deliveries }: Transaction, { ids }: LeaseRequest): Promise<Write[]> {
  const writes: Write[] = []
  for (const id of ids) {
    const is = await deliveries.get(id)
    if (is !== undefined) writes.push({ table: 'deliveries', id, is })
  }
  return writes
}
