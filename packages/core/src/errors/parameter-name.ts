/** The specification's path syntax: `enabled_events[2]`, `metadata[key]`, `card.token`. */
export function parameterName(path: readonly PropertyKey[]): string {
  return path
    .map(String)
    .map((part, depth) => {
      if (depth === 0) return part
      return typeof path[depth] === 'number' || path[0] === 'metadata' ? `[${part}]` : `.${part}`
    })
    .join('')
}
