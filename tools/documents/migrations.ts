import { filesBelow, readText } from '../packages.ts'

/**
 * A store's migrations as a module. Read from beside the module's own file they would be the host's, if its bundler
 * puts the store into a file of the host and that has a folder of this name beside it.
 */
export function migrationTexts(folder: string): string {
  const texts = filesBelow(`packages/${folder}/migrations`).map((path) => {
    const name = path.slice(path.lastIndexOf('/') + 1, -'.sql'.length)
    return `  [${JSON.stringify(name)}, ${JSON.stringify(readText(path))}],\n`
  })
  const note = '// Written by `npm run docs` from the files in migrations/.\n'
  return `${note}\nexport const migration_texts: readonly (readonly [name: string, sql: string])[] = [\n${texts.join('')}]\n`
}
