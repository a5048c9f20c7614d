/** Each name that the options have: the compiler sees that none is missing. */
type Names<Options> = Readonly<Record<Options extends unknown ? keyof Options : never, unknown>>

/** Throws for an option that there is not: it would go unheard, and a guard, a limit or a listener with it. */
export function refuseUnknownOptions<Options extends object>(
  of: string,
  options: Options,
  names: Names<Options>,
): void {
  if (typeof options !== 'object' || options === null)
    throw new TypeError(`The options of ${of} are an object.`)
  for (const name of Object.keys(options))
    if (!Object.hasOwn(names, name))
      throw new TypeError(`${of} has no option \`${name}\`: there are ${Object.keys(names).join(', ')}.`)
}
