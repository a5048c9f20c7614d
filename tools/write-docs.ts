import { writeFileSync } from 'node:fs'
import { documents } from './documents.ts'
import { root } from './packages.ts'

for (const [path, render] of Object.entries(documents)) {
  writeFileSync(new URL(path, root), await render())
  console.log(path)
}
