import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { type Package, root } from './packages.ts'

/**
 * Bundles the compiled code of a package into one file for all its entries, with the packages it depends on. Hundreds of
 * small files take Node longer to find than to run: a serverless function waits for that at each cold start.
 */
export async function bundle({ folder, file }: Package): Promise<void> {
  const package_folder = new URL(`packages/${folder}/`, root)
  const dist = fileURLToPath(new URL('dist/', package_folder))
  const entries = Object.values(file.exports ?? {}).map(({ default: path = '' }) => [
    path.slice('./dist/'.length, -'.js'.length),
    fileURLToPath(new URL(path, package_folder)),
  ])
  const input = Object.fromEntries(entries)
  const bundled = await rolldown({ input, platform: 'node', logLevel: 'warn' })
  const { output } = await bundled.generate({ format: 'esm', chunkFileNames: 'shared.js' })
  for (const path of readdirSync(dist, { recursive: true, encoding: 'utf8' }))
    if (path.endsWith('.js')) rmSync(`${dist}${path}`)
  for (const part of output) if (part.type === 'chunk') writeFileSync(`${dist}${part.fileName}`, part.code)
  const licenses = Object.keys(file.dependencies ?? {}).map(licenseOf)
  writeFileSync(`${dist}LICENSES`, licenses.join('\n'))
}

/** The license of a package whose code is copied, to be kept beside it. */
function licenseOf(name: string): string {
  const folder = new URL(`node_modules/${name}/`, root)
  const license = readdirSync(folder).find((path) => path.startsWith('LICENSE')) ?? 'LICENSE'
  return `${name}\n\n${readFileSync(new URL(license, folder), 'utf8')}`
}
