import { filesBelow, readText } from '../packages.ts'

/**
 * A store's migrations as a module. If they were read from a folder beside the module's file, and the host's bundler put the
 * store into a file of the host, the host's own folder of that name would be read.
 */
export function migrationTexts(folder: string): string {
  const texts = filesBelow(`packages/${folder}/migrations`).map((path) => {
    const name = path.slice(path.lastIndexOf('/') + 1, -'.sql'.length)
    return `  [${JSON.stringify(name)}, ${JSON.stringify(readText(path))}],\n`
  })
  const note = '// Written by `npm run docs` from the files in migrations/.\n'
  return `${note}\nexport const migration_texts: readonly (readonly [name: string, sql: string])[] = [\n${texts.join('')}]\n`
}
