import type { Change } from '../invariants/book.ts'

/** What happened in a history, readable for a person: ids are numbered in order of appearance. */
export class Trace {
  readonly #lines: string[] | null
  readonly #now: () => string

  /** A trace that is not kept costs nothing: its lines are never built. */
  constructor(kept: boolean, now: () => string) {
    this.#lines = kept ? [] : null
    this.#now = now
  }

  note(line: () => string): void {
    this.#lines?.push(`${this.#now()} ${line()}`)
  }

  lines(): string[] {
    const names = new Map<string, string>()
    const counts = new Map<string, number>()
    const nameOf = (id: string, kind: string): string => {
      const known = names.get(id)
      if (known !== undefined) return known
      const count = (counts.get(kind) ?? 0) + 1
      counts.set(kind, count)
      names.set(id, `${kind}#${count}`)
      return `${kind}#${count}`
    }
    return (this.#lines ?? []).map((line) => {
      // `violations` have the real ids, as rows and ledgers do.
      const shown = (id: string, kind: string) =>
        violation.test(line) ? `${nameOf(id, kind)} (${id})` : nameOf(id, kind)
      return line
        .replace(prefixed_id, (id, kind: string) => shown(id, kind))
        .replace(uuid, (id) => shown(id, 'id'))
    })
  }
}

/** What a commit changed, sorted: units write independent rows concurrently. */
export function changesTold(changes: readonly Change[]): string {
  const byName = (a: Change, b: Change) => (`${a.table} ${a.id}` < `${b.table} ${b.id}` ? -1 : 1)
  return [...changes].sort(byName).map(toldOf).join(', ')
}

/** A row that changed, with its most telling fields. */
function toldOf({ table, id, was, is }: Change): string {
  if (is === undefined) return `${table} ${id} gone`
  const status = 'status' in is ? ` ${is.status}` : ''
  const count = 'attempt_count' in is ? ` attempt ${is.attempt_count} ${is.last_error ?? ''}` : ''
  const type = 'type' in is && table === 'events' ? ` ${is.type}` : ''
  const lease = table === 'idempotency_keys' ? ` ${is.answer_status ?? 'in flight'}` : ''
  return `${was === undefined ? '+' : ''}${id}${status}${type}${count}${lease}`
}

const violation = /^\S+ !! /
const prefixed_id = /\b([a-z]+)_(?:test|live)_[0-9A-Za-z]{24}\b/g
const uuid = /\b[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}\b/g
