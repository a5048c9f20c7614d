import { openApiDocument } from '@quittance/transport-http'

/** The formatter's maximum line width. */
const width = 110

/** The API's description as a file. Lists of plain values that fit are on one line, as the formatter wants them. */
export function openApiFile(): string {
  return `${write(openApiDocument(), '', 0)}\n`
}

/** `before` is how many characters precede the value on its line; one more may follow it. */
function write(value: unknown, indent: string, before: number): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const inner = `${indent}  `
  if (Array.isArray(value)) {
    const plain = value.every((item) => typeof item !== 'object' || item === null)
    const line = `[${value.map((item) => JSON.stringify(item)).join(', ')}]`
    if (plain && before + line.length + 1 <= width) return line
    return `[\n${value.map((item) => inner + write(item, inner, inner.length)).join(',\n')}\n${indent}]`
  }
  const entries = Object.entries(value).map(([name, item]) => {
    const start = `${inner}${JSON.stringify(name)}: `
    return start + write(item, inner, start.length)
  })
  return entries.length === 0 ? '{}' : `{\n${entries.join(',\n')}\n${indent}}`
}
