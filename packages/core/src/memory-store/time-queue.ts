/** Something that falls due at `at`, under a key of its own. */
interface Timed<Value> {
  readonly at: string
  readonly key: string
  readonly value: Value
}

/**
 * Keys by time, earliest first: a binary heap. A key that moves or leaves stays in the heap as a stale entry
 * and is dropped when it comes up, or when stale entries outnumber the others.
 */
export class TimeQueue<Value> {
  readonly #current = new Map<string, Timed<Value>>()
  #heap: Timed<Value>[] = []

  /** Sets the time of `key`, or removes it if `at` is null. */
  set(key: string, at: string | null, value: Value): void {
    if (at === null) {
      this.#current.delete(key)
    } else if (this.#current.get(key)?.at !== at) {
      const entry = { at, key, value }
      this.#current.set(key, entry)
      this.#push(entry)
    }
    if (this.#heap.length > 2 * this.#current.size + 64) this.#rebuild()
  }

  /** Up to `limit` entries at or before `at` that `accept` takes, earliest first, equal times by key. */
  earliest(at: string, limit: number, accept: (entry: Timed<Value>) => boolean): Timed<Value>[] {
    const seen: Timed<Value>[] = []
    const taken: Timed<Value>[] = []
    while (taken.length < limit) {
      const entry = this.#first()
      if (entry === undefined || entry.at > at) break
      this.#pop()
      seen.push(entry)
      if (accept(entry)) taken.push(entry)
    }
    for (const entry of seen) this.#push(entry)
    return taken
  }

  /** The earliest time later than `after`, or of all. */
  next(after: string | null): string | null {
    const seen: Timed<Value>[] = []
    let entry = this.#first()
    for (; entry !== undefined && after !== null && entry.at <= after; entry = this.#first()) {
      this.#pop()
      seen.push(entry)
    }
    for (const one of seen) this.#push(one)
    return entry?.at ?? null
  }

  #first(): Timed<Value> | undefined {
    for (;;) {
      const top = this.#heap[0]
      if (top === undefined || this.#current.get(top.key) === top) return top
      this.#pop()
    }
  }

  #push(entry: Timed<Value>): void {
    const heap = this.#heap
    let index = heap.push(entry) - 1
    while (index > 0) {
      const parent = (index - 1) >>> 1
      const above = heap[parent]
      if (above === undefined || !before(entry, above)) break
      heap[index] = above
      index = parent
    }
    heap[index] = entry
  }

  #pop(): void {
    const last = this.#heap.pop()
    if (last !== undefined && this.#heap.length > 0) this.#sink(last)
  }

  /** Puts `entry` at the top and moves it down to its place. */
  #sink(entry: Timed<Value>): void {
    const heap = this.#heap
    let index = 0
    for (;;) {
      const left = heap[2 * index + 1]
      const right = heap[2 * index + 2]
      const next = right !== undefined && left !== undefined && before(right, left) ? right : left
      if (next === undefined || !before(next, entry)) break
      heap[index] = next
      index = 2 * index + (next === right ? 2 : 1)
    }
    heap[index] = entry
  }

  #rebuild(): void {
    // A sorted list is a heap.
    this.#heap = [...this.#current.values()].sort((a, b) => (before(a, b) ? -1 : 1))
  }
}

/** Whether `a` comes before `b`. */
export function before(a: Omit<Timed<unknown>, 'value'>, b: Omit<Timed<unknown>, 'value'>): boolean {
  return a.at < b.at || (a.at === b.at && a.key < b.key)
}
