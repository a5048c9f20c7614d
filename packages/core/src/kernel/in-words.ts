/** Any fault, for the log. A listener or an adapter may throw an object that has no words, as one without a prototype. */
export function inWords(fault: unknown): string {
  return spoken(() => String(fault))
}

/** What `say` gives; of a fault that cannot even be read, that. To say what has happened must not throw again. */
export function spoken(say: () => string): string {
  try {
    return say()
  } catch {
    return 'a fault without words'
  }
}
