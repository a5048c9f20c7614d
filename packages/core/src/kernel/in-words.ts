/** What `say` gives; of a fault that cannot even be read, that. To say what has happened must not throw again. */
export function spoken(say: () => string): string {
  try {
    return say()
  } catch {
    return 'a fault without words'
  }
}
