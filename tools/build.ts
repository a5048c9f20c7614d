import { copyFileSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { bundle } from './bundle.ts'
import { readPackages, root } from './packages.ts'
import { run } from './run.ts'

// Each package is compiled against the built declarations of those before it, as its users' code will be.
const packages = readPackages()
for (const { folder } of packages)
  rmSync(new URL(`packages/${folder}/dist`, root), { recursive: true, force: true })
for (const { folder } of packages) {
  run(fileURLToPath(new URL('node_modules/.bin/tsc', root)), ['-p', `packages/${folder}/tsconfig.build.json`])
  copyFileSync(new URL('LICENSE', root), new URL(`packages/${folder}/dist/LICENSE`, root))
  console.log(`packages/${folder}/dist`)
}
// All others load core.
for (const one of packages) if (one.file.name === '@quittance/core') await bundle(one)
