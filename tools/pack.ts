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
