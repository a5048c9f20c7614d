/** Adds to a set; the returned function takes it out again. */
export function addTo<Value>(all: Set<Value>, one: Value): () => void {
  all.add(one)
  return () => all.delete(one)
}
