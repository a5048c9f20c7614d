import { posix } from 'node:path'
import type { Rule, Source, Violation } from './sources.ts'

/**
 * The layers of core, lowest first: a file imports its own layer and those before it. Types are erased, and
 * may point up: an operation's shape names the ports it will be handed.
 */
const layers = [
  ['errors', 'schema', 'kernel'],
  ['record'],
  ['ports'],
  ['machine'],
  ['operation'],
  ['engine'],
  ['memory-store'],
  ['index'],
] as const

type Kind = (typeof layers)[number][number]

/** Where a folder holds one file of another kind. */
const kinds_of_files: Record<string, Kind> = {
  // The back office as a whole: what the engine hands to its transport.
  'back-office/back-office.ts': 'operation',
  'index.ts': 'index',
}

const core = 'packages/core/src/'

export const coreLayers: Rule = (sources) =>
  valueImports(sources)
    .filter(({ from, to }) => from.startsWith(core) && to.startsWith(core))
    .flatMap(({ from, to, line }) => {
      const [user, used] = [kindOf(from), kindOf(to)]
      const apart = user === 'memory-store' && used === 'engine'
      return layerOf(used) > layerOf(user) || apart ? [`${from}:${line} ${user} imports ${used}: ${to}`] : []
    })

const operations_list = `${core}engine/operations.ts`

/** An operation is a whole request: what two of them share is a function of its own. */
export const operationsApart: Rule = (sources) => {
  const list = sources.find(({ path }) => path === operations_list)
  const operations = new Set(
    list?.imports.flatMap(({ target, names }) => names.map((name) => `${target} ${name}`)),
  )
  return sources
    .filter(({ path }) => path.startsWith(core) && path !== operations_list)
    .flatMap(({ path, imports }) =>
      imports.flatMap(({ target, names, line, type_only }) =>
        names
          .filter((name) => !type_only && operations.has(`${target} ${name}`))
          .map((name) => `${path}:${line} imports the operation ${name}`),
      ),
    )
}

/** Types count, too: files that name each other's can only be read together. */
export const cycles: Rule = (sources) => {
  const graph = new Map(
    sources.map(({ path, imports }) => [
      path,
      imports.flatMap(({ target, relative }) => (relative ? [target] : [])),
    ]),
  )
  const done = new Set<string>()
  const found: Violation[] = []
  const visit = (path: string, trail: string[]) => {
    const before = trail.indexOf(path)
    if (before >= 0) found.push(`${path}:1 imports itself: ${[...trail.slice(before), path].join(' > ')}`)
    if (before >= 0 || done.has(path)) return
    for (const next of graph.get(path) ?? []) visit(next, [...trail, path])
    done.add(path)
  }
  for (const path of graph.keys()) visit(path, [])
  return found
}

/** Packages that may import siblings beside core, and which. `*`: any, because they put the house together. */
const siblings_of: Record<string, readonly string[] | '*'> = {
  'store-sqlite': ['store-sql'],
  'store-postgres': ['store-sql'],
  cli: '*',
  // The suites need something to drive: the sandbox's processor and the dispatcher.
  testing: '*',
}

/** A star around core, which imports no sibling; adapters do not import each other. */
export const packageStar: Rule = (sources) =>
  sources.flatMap(({ path, imports }) => {
    const folder = /^packages\/([^/]+)\/src\//.exec(path)?.[1]
    if (folder === undefined) return []
    const allowed = siblings_of[folder] ?? []
    return imports.flatMap(({ target, relative, line }) => {
      const sibling = relative
        ? /^packages\/([^/]+)\//.exec(target)?.[1]
        : /^@quittance\/([^/]+)/.exec(target)?.[1]
      if (sibling === undefined || sibling === folder)
        return relative && sibling !== folder ? [`${path}:${line} leaves its package`] : []
      if (relative) return [`${path}:${line} reaches into packages/${sibling}`]
      const known = allowed === '*' || allowed.includes(sibling) || (sibling === 'core' && folder !== 'core')
      return known ? [] : [`${path}:${line} ${folder} imports ${sibling}`]
    })
  })

function kindOf(path: string): Kind {
  const inside = path.slice(core.length)
  const known = kinds_of_files[inside]
  if (known !== undefined) return known
  const folder = posix.dirname(inside)
  const name = posix.basename(inside, '.ts')
  const house = layers.flat().find((kind) => kind === folder.split('/')[0])
  if (house !== undefined) return house
  if (name.endsWith('-machine')) return 'machine'
  return name === singular(folder) ? 'record' : 'operation'
}

function singular(folder: string): string {
  return folder.endsWith('ies') ? `${folder.slice(0, -3)}y` : folder.replace(/s$/, '')
}

function layerOf(kind: Kind): number {
  return layers.findIndex((layer) => (layer as readonly Kind[]).includes(kind))
}

function valueImports(sources: readonly Source[]) {
  return sources.flatMap(({ path, imports }) =>
    imports
      .filter(({ relative, type_only }) => relative && !type_only)
      .map(({ target, line }) => ({ from: path, to: target, line })),
  )
}
