import { isDeepStrictEqual } from 'node:util'
import type { Sandbox } from '../../../testing/src/builders/sandbox.ts'
import type { Rows } from '../../../testing/src/invariants/rows.ts'
import type { Outcome, Request, Written } from './world.ts'

export interface Answered {
  request: Request
  /** Moments, of which the later is the greater. */
  asked: number
  answered: number
  outcome?: Outcome
  thrown?: unknown
}

/** What is answered because of another request under the same key. */
const about_keys: ReadonlySet<string | null | undefined> = new Set([
  'idempotency_key_reused',
  'idempotency_key_in_flight',
])

export function brokenAnswers(answers: readonly Answered[]): string[] {
  return answers.flatMap(({ request, outcome, thrown }) => {
    if (outcome === undefined) return [`${request.about} was rejected: ${thrown}`]
    const fault = outcome.status >= 500 || outcome.code === 'internal_error'
    return fault ? [`${request.about} was answered ${outcome.body}`] : []
  })
}

/** What an accepted request wrote is there, where no other one wrote the same. */
export function brokenRows(
  answers: readonly Answered[],
  { before, after, settled }: { before: Rows; after: Rows; settled: ReadonlySet<string> },
): string[] {
  const writers = Map.groupBy(
    answers.flatMap(({ request }) => (request.writes ?? []).map((written) => ({ request, written }))),
    ({ written }) => fieldOf(written),
  )
  const lost = answers.flatMap(({ request, outcome }) => {
    if (outcome?.code !== null) return []
    return (request.writes ?? []).filter((written) => {
      const alone = writers.get(fieldOf(written))?.every((one) => one.request === request)
      const row = after[written.table].find(({ id }) => id === written.id)
      const value = row && Reflect.get(row, written.field)
      return alone && !isDeepStrictEqual(value, written.value)
    })
  })
  return [
    ...lost.map((one) => `lost: ${fieldOf(one)} = ${one.value}`),
    // What a ledger calls paid is written off as well.
    ...misforgiven(
      answers,
      before.invoices,
      after.invoices.filter(({ external_id }) => external_id === null || !settled.has(external_id)),
    ),
  ]
}

function fieldOf({ table, id, field }: Written): string {
  return `${table} ${id} ${field}`
}

/** Write-offs that were accepted add up, beside the discounts that payments took. */
function misforgiven(
  answers: readonly Answered[],
  before: Rows['invoices'],
  after: Rows['invoices'],
): string[] {
  return after.flatMap(({ id, written_off, early_payment_discount: discount }) => {
    if (discount !== null) return []
    const accepted = answers.filter(
      ({ request, outcome }) => request.forgives?.invoice === id && outcome?.code === null,
    )
    const was = before.find((one) => one.id === id)?.written_off ?? 0
    const sum = accepted.reduce((total, { request }) => total + (request.forgives?.amount ?? 0), was)
    return sum === written_off ? [] : [`${id} forgave ${written_off}, and ${sum} was accepted`]
  })
}

/** The same request under the same key is answered the same, then and now. */
export async function brokenRepeats(answers: readonly Answered[], sandbox: Sandbox): Promise<string[]> {
  const broken: string[] = []
  for (const { request, outcome } of answers) {
    const wrong = outcome?.code === null ? await request.afterwards?.(sandbox) : null
    if (wrong != null) broken.push(wrong)
  }
  const keyed = Map.groupBy(
    answers.filter(({ request }) => request.key !== undefined),
    ({ request }) => request,
  )
  for (const [request, given] of keyed) {
    const kept = given.flatMap(({ outcome }) => (outcome && !about_keys.has(outcome.code) ? [outcome] : []))
    const again = await request.run(sandbox)
    const all = [...kept, ...(kept.length > 0 || !about_keys.has(again.code) ? [again] : [])]
    const different = new Set(all.map(({ status, body }) => `${status} ${body}`))
    if (different.size > 1)
      broken.push(`${request.about} was answered differently: ${[...different].join(', ')}`)
  }
  return broken
}
