import { hash } from 'node:crypto'
import type { Answer, OperationName, Scope } from '@quittance/core'
import type { Change } from '../invariants/book.ts'
import type { Testimony } from './testimony.ts'

/** The error codes that are due to another request under the same key. */
const about_keys: ReadonlySet<string> = new Set(['idempotency_key_reused', 'idempotency_key_in_flight'])

interface Asking {
  operation: OperationName
  key: string | undefined
  text: string
}

/** The id of the row of a key: keys that browsers send are kept apart from the merchant's. */
function keptUnder(operation: OperationName, key: string): string {
  return operation === 'payment_method_sessions.confirm' ? `browser_${hash('sha256', key, 'base64url')}` : key
}

/** Sees every request and its response. */
export class AnswersWitness {
  readonly #testimony: Testimony
  /** The first response under each key that is remembered. */
  readonly #answers = new Map<string, { fingerprint: string; status: number; body: string }>()
  /** Every key that was ever taken. */
  readonly #taken = new Set<string>()
  #requests = 0

  constructor(testimony: Testimony) {
    this.#testimony = testimony
  }

  commits(changes: readonly Change[]): void {
    for (const { table, is, id, ...scope } of changes) {
      if (table !== 'idempotency_keys') continue
      this.#taken.add(keyed(scope, id))
      if (!is) this.#answers.delete(keyed(scope, id))
    }
  }

  /** A request that begins, and what must hold of its response. */
  asking(scope: Scope, { operation, text, ...asked }: Asking) {
    const key = asked.key && keptUnder(operation, asked.key)
    this.#requests += 1
    const request_id = `req_${String(this.#requests).padStart(24, '0')}`
    const fingerprint = `${operation} ${text}`
    const rowOf = () =>
      key === undefined ? undefined : this.#testimony.book.table(scope, 'idempotency_keys').get(key)
    const before = rowOf()
    const answered = (answer: Answer) => {
      if (key === undefined) return
      const row = rowOf()
      const remembers = answer.replayed || about_keys.has(answer.code ?? '')
      if (remembers && !this.#taken.has(keyed(scope, key)))
        this.#testimony.report('M45', `${key} was answered ${answer.status} ${answer.code} from elsewhere`)
      const anothers =
        before !== undefined && before.request_id === row?.request_id && before.fingerprint !== fingerprint
      if (anothers && answer.code !== 'idempotency_key_reused')
        this.#testimony.report(
          'M43',
          `${key} is another request's and was answered ${answer.status} ${answer.code}`,
        )
      // A request that outlived its lease may find the key released or taken by another: its response is its own.
      const kept = answer.replayed || row?.request_id === request_id
      if (kept || about_keys.has(answer.code ?? '')) this.#answered(keyed(scope, key), fingerprint, answer)
    }
    return { request_id, fingerprint, answered }
  }

  /** M42: the response under a key is replayed, byte for byte, as long as the key is remembered. */
  #answered(key: string, fingerprint: string, answer: Answer): void {
    if (answer.code === 'idempotency_key_reused') {
      this.#testimony.saw('a key was reused for another request')
      return
    }
    if (answer.code === 'idempotency_key_in_flight') {
      this.#testimony.saw('a key was in flight')
      return
    }
    if (answer.replayed) this.#testimony.saw('an answer was replayed')
    const first = this.#answers.get(key)
    if (first === undefined) {
      this.#answers.set(key, { fingerprint, status: answer.status, body: answer.body })
      return
    }
    if (first.fingerprint !== fingerprint) {
      this.#testimony.report('M43', `two requests were answered under ${key}`)
      return
    }
    if (first.status !== answer.status || first.body !== answer.body)
      this.#testimony.report(
        'M42',
        `${key} answered ${first.status} ${first.body} and then ${answer.status} ${answer.body}`,
      )
  }
}

function keyed({ workspace, livemode }: Scope, key: string): string {
  return `${workspace} ${livemode} ${key}`
}
