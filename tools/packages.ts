import { readdirSync, readFileSync } from 'node:fs'

/** The repository's root. */
export const root = new URL('../', import.meta.url)

export interface PackageFile {
  name: string
  version: string
  description?: string
  private?: boolean
  exports?: Record<string, Record<string, string>>
  bin?: Record<string, string>
  files?: string[]
  dependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
}

export interface Package {
  /** Its folder's name, as in `packages/core`. */
  folder: string
  file: PackageFile
  /** Sibling packages its sources import. */
  siblings: string[]
}

/** Every package, each after those it imports. */
export function readPackages(): Package[] {
  const folders = readdirSync(new URL('packages/', root)).sort()
  const unordered = folders.map((folder) => readPackage(folder))
  const ordered: Package[] = []
  const visit = (one: Package, path: string[]) => {
    if (ordered.includes(one)) return
    if (path.includes(one.folder))
      throw new Error(`Packages import each other: ${[...path, one.folder].join(' > ')}`)
    for (const name of one.siblings) {
      const sibling = unordered.find(({ file }) => file.name === name)
      if (!sibling) throw new Error(`packages/${one.folder} imports ${name}, which is no package here.`)
      visit(sibling, [...path, one.folder])
    }
    ordered.push(one)
  }
  for (const one of unordered) visit(one, [])
  return ordered
}

/** The paths of a package's TypeScript sources, from the root. */
export function sourcesOf(folder: string, part: 'src' | 'test' = 'src'): string[] {
  return filesBelow(`packages/${folder}/${part}`).filter((path) => path.endsWith('.ts'))
}

/** Every file below a folder, from the root, sorted; none if there is no such folder. */
export function filesBelow(folder: string): string[] {
  const entries = readEntries(folder)
  const paths = entries.flatMap((entry) => {
    const path = `${folder}/${entry.name}`
    return entry.isDirectory() ? filesBelow(path) : [path]
  })
  return paths.sort()
}

export function readText(path: string): string {
  return readFileSync(new URL(path, root), 'utf8')
}

function readEntries(folder: string) {
  try {
    return readdirSync(new URL(`${folder}/`, root), { withFileTypes: true })
  } catch (fault) {
    if (fault instanceof Error && 'code' in fault && fault.code === 'ENOENT') return []
    throw fault
  }
}

function readPackage(folder: string): Package {
  const file = JSON.parse(readText(`packages/${folder}/package.json`)) as PackageFile
  const named = sourcesOf(folder).flatMap((path) => [
    ...readText(path).matchAll(/ from '(@quittance\/[^/']+)/g),
  ])
  const siblings = [...new Set(named.map((match) => match[1] ?? ''))].filter((name) => name !== file.name)
  return { folder, file, siblings }
}
