import { isError } from './is-error.ts'

/** Any fault, for the log. What a listener or an adapter throws may have no words, as an object without a prototype. */
export function inWords(fault: unknown): string {
  return spoken(() => String(fault))
}

/** With its stack, if it has one, for faults that nobody expected. */
export function stackOf(fault: unknown): string | undefined {
  return isError(fault) ? fault.stack : inWords(fault)
}

/** What `say` gives, or that a fault cannot even be read: saying what has happened must not throw again. */
export function spoken(say: () => string): string {
  try {
    return say()
  } catch {
    return 'a fault without words'
  }
}
