/** More than other units ever take: past that, the new row's id is what is taken. */
const most_tries = 20

/**
 * Repeats `attempt`, which looks for a row and inserts one where there is none, as long as it gives undefined: another unit has
 * inserted one in between. Gives up in the end: ids of a host that repeat would be tried for ever, while all others wait.
 */
export async function findOrInsert<Value>(attempt: () => Promise<Value | undefined>): Promise<Value> {
  for (let tries = 0; tries < most_tries; tries += 1) {
    const outcome = await attempt()
    if (outcome !== undefined) return outcome
  }
  throw new Error('A new row has an id that is taken: the `ids` of the engine repeat.')
}
