/** Until the returned function is called. */
export function addTo<Value>(all: Set<Value>, one: Value): () => void {
  all.add(one)
  return () => all.delete(one)
}
