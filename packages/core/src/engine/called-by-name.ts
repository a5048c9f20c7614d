/** A table of nouns and their verbs, with what `call` makes of each entry and its name (`payments.create`) in place of it. */
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
