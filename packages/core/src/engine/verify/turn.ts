/** Lets everything else have its turn: a database in this process answers at once, and would keep it waiting. */
export function turnOfTheLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
