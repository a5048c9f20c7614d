/** More than other units ever take: past that, the new row's id is what is taken. */
const most_tries = 20

/**
 * Repeats what looks for a row, and inserts one where there is none, while another unit inserts it in between (undefined). Ids
 * of a host that repeat would be tried for ever, within a transaction that all others wait for.
 */
export async function findOrInsert<Value>(attempt: () => Promise<Value | undefined>): Promise<Value> {
  for (let tries = 0; tries < most_tries; tries += 1) {
    const outcome = await attempt()
    if (outcome !== undefined) return outcome
  }
  throw new Error('A new row has an id that is taken: the `ids` of the engine repeat.')
}
