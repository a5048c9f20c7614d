/** A mistake that somebody could have made in the engine, and that the simulation has to find. */
export interface PlantedBug {
  /** Its name on the command line. */
  name: string
  /** What is wrong, in plain words. */
  says: string
  /** The invariants of which at least one has to be reported. */
  breaks: readonly string[]
  /** How the engine's source is changed, in memory only. Each `find` occurs in its file exactly once. */
  edits: readonly SourceEdit[]
}

export interface SourceEdit {
  /** Under `packages/`. */
  file: string
  find: string
  replace: string
}

/** The source with the mistake in it. Throws if the place is gone, so that no bug silently goes unplanted. */
export function withEdit(source: string, { file, find, replace }: SourceEdit): string {
  const around = source.split(find)
  if (around.length !== 2)
    throw new Error(`packages/${file} has ${around.length - 1} places, not one: ${find}`)
  return around.join(replace)
}
