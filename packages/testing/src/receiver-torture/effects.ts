import type { Subject } from './stories.ts'

/** What a receiver has done about a subject, as JSON writes it. */
export interface Effects {
  done: unknown
  subject: Subject
}

export function effectsOf(subject: Subject, done: unknown): Effects {
  const text = JSON.stringify(done, (_, value) => (typeof value === 'bigint' ? `${value}` : value))
  return { done: JSON.parse(text ?? 'null'), subject }
}

/** Whether two are the same except for the names of their subjects. */
export function alike(a: Effects, b: Effects): boolean {
  const same = (x: unknown, y: unknown): boolean => {
    if (!isFilled(x) || !isFilled(y)) return x === y || anonymous(x, a.subject) === anonymous(y, b.subject)
    const fields = fieldsOf(x, a.subject)
    const others = fieldsOf(y, b.subject)
    return (
      fields.length === others.length &&
      fields.every(([name, value], place) => name === others[place]?.[0] && same(value, others[place][1]))
    )
  }
  return same(a.done, b.done)
}

/** Whether each part of what was done is as in one of the others: a receiver may keep several things, each in its own way. */
export function isMadeOf(whole: Effects, others: readonly Effects[]): boolean {
  if (others.some((other) => alike(whole, other))) return true
  const parts = partsOf(whole)
  return (
    parts.length > 0 &&
    parts.every(([name, part]) =>
      isMadeOf(
        part,
        others.flatMap(partsOf).flatMap(([other_name, other]) => (other_name === name ? [other] : [])),
      ),
    )
  )
}

function partsOf({ done, subject }: Effects): [string, Effects][] {
  if (!isFilled(done)) return []
  return fieldsOf(done, subject).map(([name, value]) => [name, { done: value, subject }])
}

/** As text, for a finding. */
export function shown({ done }: Effects): string {
  return `effects are ${JSON.stringify(done).slice(0, 300)}`
}

function isFilled(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

function fieldsOf(filled: object, subject: Subject): [string, unknown][] {
  const fields = Object.entries(filled).map(([name, value]): [string, unknown] => [
    anonymous(name, subject),
    value,
  ])
  return fields.sort(([one], [other]) => (one < other ? -1 : 1))
}

function anonymous(value: unknown, { id, payment, reference }: Subject): string {
  const names = Object.entries({ reference, id, payment }).sort(([, a], [, b]) => b.length - a.length)
  return names.reduce(
    (text, [name, known]) => text.replaceAll(known, `<${name}>`),
    `${typeof value}:${value}`,
  )
}
