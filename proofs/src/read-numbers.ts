import { parseArgs } from 'node:util'

/** The options of a proof that are numbers, such as `--seed 1`; for one that is left out, its default. */
export function readNumbers<Name extends string>(
  args: string[],
  defaults: Readonly<Record<Name, number>>,
): Record<Name, number> {
  const names = Object.keys(defaults) as Name[]
  const options = Object.fromEntries(
    names.map((name) => [name, { type: 'string' as const, default: String(defaults[name]) }]),
  )
  const { values } = parseArgs({ args, options })
  return Object.fromEntries(names.map((name) => [name, wholeNumber(name, values[name])])) as Record<
    Name,
    number
  >
}

/** Throws for anything else: a proof of NaN histories would find nothing wrong. */
export function wholeNumber(name: string, text = ''): number {
  if (!/^\d+$/.test(text)) throw new Error(`--${name} is a whole number, not ${text}.`)
  return Number(text)
}
