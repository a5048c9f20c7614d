/**
 * A set of ids that can be walked from the highest down. Ids mostly arrive in order, so an append is the fast
 * path. Ids that arrived out of order are sorted at the next walk; removed ids stay in the list and are skipped until
 * they are half of it. Ids are ASCII, where JavaScript's order of strings is the order of their bytes.
 */
export class SortedIds {
  readonly #members = new Set<string>()
  #order: string[] = []
  #sorted = true

  add(id: string): void {
    if (this.#members.has(id)) return
    this.#members.add(id)
    const last = this.#order.at(-1)
    if (last !== undefined && last > id) this.#sorted = false
    this.#order.push(id)
  }

  delete(id: string): void {
    if (!this.#members.delete(id)) return
    if (this.#order.length < 2 * this.#members.size + 64) return
    this.#order = [...this.#members]
    this.#sorted = false
  }

  /** Ids below `after`, highest first. */
  *descending(after?: string): Generator<string> {
    if (!this.#sorted) this.#order.sort()
    this.#sorted = true
    const order = this.#order
    let previous: string | undefined
    for (let index = after === undefined ? order.length : this.#position(after); index > 0; index -= 1) {
      const id = order[index - 1]
      // An id that was removed and came back stands in the list twice, side by side.
      if (id === undefined || id === previous || !this.#members.has(id)) continue
      previous = id
      yield id
    }
  }

  /** How many entries of the sorted list are below `id`. */
  #position(id: string): number {
    let low = 0
    let high = this.#order.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#order[middle] ?? id) < id) low = middle + 1
      else high = middle
    }
    return low
  }
}
