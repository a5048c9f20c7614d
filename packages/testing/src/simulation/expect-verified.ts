import type { Sandbox } from '../builders/sandbox.ts'

/** What the engine finds wrong with its own database, which a history that kept every invariant must not have. */
export async function expectVerified({ engine, scope }: Sandbox, about: string): Promise<void> {
  const { violations } = await engine.verify({ scope })
  // Most histories have no dispatcher: what they announce stays where it is.
  const broken = violations.filter(({ invariant, table }) => invariant !== 'M53' || table !== 'deliveries')
  if (broken.length === 0) return
  const list = broken.map(({ invariant, table, id, says }) => `${invariant}: ${table} ${id} ${says}`)
  throw new Error([`${about}, by engine.verify():`, ...list].join('\n  '))
}
