/** A table of nouns and their verbs with a function in place of each entry, which is told its name: `payments.create`. */
export function calledByName<Entry>(
  table: Readonly<Record<string, Readonly<Record<string, Entry>>>>,
  call: (name: string, entry: Entry) => unknown,
): unknown {
  const nouns = Object.entries(table).map(([noun, verbs]) => {
    const called = Object.entries(verbs).map(([verb, entry]) => [verb, call(`${noun}.${verb}`, entry)])
    return [noun, Object.fromEntries(called)]
  })
  return Object.fromEntries(nouns)
}
