import { copyFileSync, cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { installIn, type Packed, packInto } from './pack.ts'
import { root } from './packages.ts'
import { run } from './run.ts'

// Too slow for `npm test`: installs what npm would publish outside the repository, and uses it as others will.
const folder = mkdtempSync(join(tmpdir(), 'quittance-consumer-'))
try {
  const tarballs = packInto(folder)
  for (const packed of tarballs) checkContents(packed)
  installIn(folder, tarballs)
  use()
  console.log(`${tarballs.length} packages install, type-check and take a payment`)
} finally {
  rmSync(folder, { recursive: true })
}

/** Only built code, its types, its license, its README and what it reads at run time; no sources and no tests. */
function checkContents({ name, files }: Packed): void {
  const paths = files.map(({ path }) => path)
  const strange = paths.filter(
    (path) => !/^(package\.json|README\.md|dist\/.*|migrations\/.*\.sql)$/.test(path),
  )
  const wanted = [
    'package.json',
    'README.md',
    'dist/LICENSE',
    name === '@quittance/cli' ? 'dist/main.js' : 'dist/index.d.ts',
  ]
  if (name.startsWith('@quittance/store-') && name !== '@quittance/store-sql')
    wanted.push('migrations/0001_initial.sql')
  const missing = wanted.filter((path) => !paths.includes(path))
  if (strange.length > 0 || missing.length > 0) {
    throw new Error(`The tarball of ${name} lacks [${missing}] and holds [${strange}].`)
  }
}

function use(): void {
  for (const file of ['pay.ts', 'names.ts', 'tsconfig.json'])
    copyFileSync(new URL(`tools/consumer/${file}`, root), join(folder, file))
  const types = 'node_modules/@types'
  cpSync(fileURLToPath(new URL(types, root)), join(folder, types), { recursive: true })
  // `better-sqlite3` is optional, and so are its types.
  rmSync(join(folder, types, 'better-sqlite3'), { recursive: true })
  run(fileURLToPath(new URL('node_modules/.bin/tsc', root)), ['-p', '.'], { cwd: folder })
  console.log(run(process.execPath, ['pay.ts'], { cwd: folder }).trim())
  for (const file of readdirSync(folder)) if (file.startsWith('shop.db')) rmSync(join(folder, file))
  rmSync(join(folder, 'node_modules/better-sqlite3'), { recursive: true })
  console.log(run(process.execPath, ['pay.ts'], { cwd: folder }).trim())
  run(process.execPath, ['node_modules/.bin/quittance', 'help'], { cwd: folder })
}
