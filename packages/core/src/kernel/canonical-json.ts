/** The same text for equal values, whatever the order of their members: requests under a key are compared by it. */
export function canonicalJson(value: unknown): string {
  if (typeof value === 'bigint') return `${value}n`
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'null'
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  const texts = members.map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`)
  return `{${texts.sort().join(',')}}`
}
