import type { Logger } from '../ports/logger.ts'

/** What an option may be, in words that follow "is". */
export interface OptionKind {
  says: string
  fits(value: unknown): boolean
  required?: true
}

const typed = (type: string, says: string): OptionKind => ({ says, fits: (value) => typeof value === type })

/** The kinds of options, for `refuseWrongOptions`. `any`: what takes the option checks it, with messages of its own. */
export const option = {
  any: { says: 'anything', fits: () => true },
  flag: typed('boolean', 'true or false'),
  text: typed('string', 'a text'),
  call: typed('function', 'a function'),
  name: {
    says: 'a text that is not empty',
    fits: (value: unknown) => typeof value === 'string' && value !== '',
  },
  positive: { says: 'a number above 0', fits: (value: unknown) => typeof value === 'number' && value > 0 },
  count: {
    says: 'a whole number, at least 1',
    fits: (value: unknown) => Number.isInteger(value) && Number(value) > 0,
  },
  countOrNone: {
    says: 'a whole number, at least 0',
    fits: (value: unknown) => Number.isInteger(value) && Number(value) >= 0,
  },
  /** The kind, or `Infinity` for no limit. */
  unlimited: (kind: OptionKind): OptionKind => ({
    says: `${kind.says}, or Infinity`,
    fits: (value) => value === Number.POSITIVE_INFINITY || kind.fits(value),
  }),
  list: { says: 'a list', fits: Array.isArray },
  object: typed('object', 'an object'),
  /** An object with members of these names. */
  having: (...names: readonly string[]): OptionKind => ({
    says: withMembers(names),
    fits: (value) => typeof value === 'object' && value !== null && names.every((name) => name in value),
  }),
  /** An object with functions of these names. */
  port: (...names: readonly string[]): OptionKind => ({
    says: withMembers(names),
    fits: (value) =>
      typeof value === 'object' &&
      value !== null &&
      names.every((name) => typeof Reflect.get(value, name) === 'function'),
  }),
  /** A pino logger would type-check, and drop the fields of every fault. */
  logger: {
    says: 'an object with `info`, `warn` and `error` that take fields last (pino takes them first: give it functions that turn them round)',
    fits: (value: unknown) => isLogger(value) && !('bindings' in value),
  },
  required: (kind: OptionKind): OptionKind => ({ ...kind, required: true }),
} as const

function withMembers(names: readonly string[]): string {
  return `an object with ${names.map((name) => `\`${name}\``).join(', ')}`
}

function isLogger(value: unknown): value is Logger {
  const { info, warn, error } = (value ?? {}) as Partial<Logger>
  return [info, warn, error].every((log) => typeof log === 'function')
}

/** A kind for each option: the compiler checks that none is missing. */
type Kinds<Options> = Readonly<Record<Options extends unknown ? keyof Options : never, OptionKind>>

/**
 * Throws for an option that does not exist, and for one of the wrong kind: a misspelled guard, limit or listener would silently
 * not apply. Values are not repeated: some are secret.
 */
export function refuseWrongOptions<Options extends object>(
  of: string,
  options: Options,
  kinds: Kinds<Options>,
): void {
  if (typeof options !== 'object' || options === null)
    throw new TypeError(`The options of ${of} are an object.`)
  for (const name of Object.keys(options))
    if (!Object.hasOwn(kinds, name))
      throw new TypeError(`${of} has no option \`${name}\`: there are ${Object.keys(kinds).join(', ')}.`)
  for (const [name, { says, fits, required }] of Object.entries<OptionKind>(kinds)) {
    const value = (options as Record<string, unknown>)[name]
    if (value === undefined ? required : !fits(value)) throw new TypeError(`\`${name}\` of ${of} is ${says}.`)
  }
}
