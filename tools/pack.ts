import { readPackages } from './packages.ts'
import { run } from './run.ts'

/** What npm says of a tarball it made. */
export interface Packed {
  name: string
  filename: string
  unpackedSize: number
  files: { path: string }[]
}

/** What npm would publish, built anew: tarballs in a folder, of every package or of those that are named. */
export function packInto(folder: string, wanted: (name: string) => boolean = () => true): Packed[] {
  run('npm', ['run', '--silent', 'build'])
  const published = readPackages().filter(({ file }) => !file.private && wanted(file.name))
  const workspaces = published.flatMap(({ file }) => ['--workspace', file.name])
  return JSON.parse(run('npm', ['pack', '--json', '--pack-destination', folder, ...workspaces])) as Packed[]
}
