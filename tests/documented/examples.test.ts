import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { filesBelow } from '../../tools/packages.ts'
import { blocksOf, inFolder } from './page.ts'

/** The programs that pages show with what they print: a `js` block that begins with its file's name, then a `text` one. */
const programs = filesBelow('docs')
  .filter((path) => path.endsWith('.md'))
  .flatMap((path) => {
    const blocks = blocksOf(path)
    return blocks.flatMap(({ language, text }, at) => {
      const [, file] = /^\/\/ ([\w-]+\.mjs)\n/.exec(text) ?? []
      const next = blocks[at + 1]
      if (language !== 'js' || file === undefined) return []
      return [{ path, file, text, printed: next?.language === 'text' ? next.text : undefined }]
    })
  })

it.each(programs)('$path: $file prints what it says', async ({ file, text, printed }) => {
  const said = await inFolder((folder, run) => {
    writeFileSync(join(folder, file), text)
    return run(process.execPath, '--conditions=@quittance/source', file)
  })
  expect(unvarying(said)).toBe(unvarying(printed ?? 'a text block after the program'))
})

/** Ids, keys, secrets and times differ from run to run. */
function unvarying(text: string): string {
  return text
    .replace(/\b(\w+_(?:test|live))_[0-9A-Za-z]{24,43}\b/g, '$1_')
    .replace(/\bsk_(test|live)_[0-9A-Za-z…]+/g, 'sk_$1_')
    .replace(/\/pay\/[\w.…-]+/g, '/pay/')
    .replace(/\b[0-9a-f]{8}-[0-9a-f-]{27}\b/g, 'a uuid')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'a time')
}
