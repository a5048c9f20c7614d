import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readPackages } from './packages.ts'
import { run } from './run.ts'

/** What npm reports of a tarball that it made. */
export interface Packed {
  name: string
  filename: string
  unpackedSize: number
  files: { path: string }[]
}

/** What npm would publish, newly built: tarballs in a folder, of every package or of those for which `wanted` is true. */
export function packInto(folder: string, wanted: (name: string) => boolean = () => true): Packed[] {
  run('npm', ['run', '--silent', 'build'])
  const published = readPackages().filter(({ file }) => !file.private && wanted(file.name))
  const workspaces = published.flatMap(({ file }) => ['--workspace', file.name])
  return JSON.parse(run('npm', ['pack', '--json', '--pack-destination', folder, ...workspaces])) as Packed[]
}

/** Makes a project of the folder that holds these tarballs, and installs them there as a user would. */
export function installIn(folder: string, tarballs: readonly Packed[]): void {
  const dependencies = Object.fromEntries(tarballs.map(({ name, filename }) => [name, `file:./${filename}`]))
  const project = { name: 'consumer', private: true, type: 'module', dependencies }
  writeFileSync(join(folder, 'package.json'), JSON.stringify(project, null, 2))
  run('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', '--silent'], { cwd: folder })
}
