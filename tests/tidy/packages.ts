import { type Package, type PackageFile, readText, sourcesOf } from '../../tools/packages.ts'
import { parseSource, type Source, type Violation } from './sources.ts'

/** Everything a package may need at run time beside Node. A longer list is a decision, taken here. */
const budgets: Record<string, readonly string[]> = {
  core: ['neverthrow', 'uuid', 'zod'],
  'store-sql': ['@quittance/core', 'kysely'],
  'store-sqlite': ['@quittance/core', '@quittance/store-sql', 'better-sqlite3', 'kysely'],
  'store-postgres': ['@quittance/core', '@quittance/store-sql', 'kysely', 'pg'],
  webhooks: ['@quittance/core', 'undici', 'ioredis'],
  'transport-http': ['@quittance/core', 'express', 'fastify'],
  'processor-simulator': ['@quittance/core'],
  connectors: ['@quittance/core'],
  pages: ['@quittance/core'],
  testing: [
    '@quittance/core',
    '@quittance/processor-simulator',
    '@quittance/webhooks',
    'fast-check',
    'vitest',
    '@quittance/transport-http',
  ],
}

/** What may be used only where the host has it: peers, never dependencies. */
const peers_only = ['express', 'fastify', 'ioredis', 'pg', 'vitest']

export function overBudget(packages: readonly Pick<Package, 'folder' | 'file'>[]): Violation[] {
  return packages.flatMap(({ folder, file }) => {
    const budget = budgets[folder]
    const path = `packages/${folder}/package.json:1`
    if (folder === 'cli') return []
    if (budget === undefined) return [`${path} has no budget of dependencies`]
    const all = [...Object.keys(file.dependencies ?? {}), ...Object.keys(file.peerDependencies ?? {})]
    const forced = Object.keys(file.dependencies ?? {}).filter((name) => peers_only.includes(name))
    return [
      ...all.filter((name) => !budget.includes(name)).map((name) => `${path} depends on ${name}`),
      ...forced.map((name) => `${path} brings ${name}, which the host brings`),
    ]
  })
}

/** What makes a package one that others can install. */
export function badMetadata(packages: readonly Pick<Package, 'folder' | 'file'>[]): Violation[] {
  return packages.flatMap(({ folder, file }) => {
    const wanted: Partial<PackageFile> & Record<string, unknown> = {
      name: `@quittance/${folder}`,
      license: 'Apache-2.0',
      type: 'module',
      sideEffects: folder === 'cli',
      engines: { node: '>=22.12' },
    }
    const given = file as Record<string, unknown> & PackageFile
    const wrong = Object.keys(wanted).filter(
      (key) => JSON.stringify(given[key]) !== JSON.stringify(wanted[key]),
    )
    const entries = Object.values(given.exports ?? {})
    const split = entries.some((entry) => !entry['@quittance/source'] || !entry.types || !entry.default)
    return [
      ...wrong.map(
        (key) => `packages/${folder}/package.json:1 has another ${key} than ${JSON.stringify(wanted[key])}`,
      ),
      ...(split ? [`packages/${folder}/package.json:1 has an export without source, types and default`] : []),
      ...(given.files?.includes('dist') ? [] : [`packages/${folder}/package.json:1 does not ship dist`]),
    ]
  })
}

/** What a package imports it also asks for: installed alone it would not find it. */
export function undeclaredImports(
  packages: readonly Pick<Package, 'folder' | 'file'>[],
  sources: readonly Source[],
): Violation[] {
  return packages.flatMap(({ folder, file }) => {
    const declared = { ...file.dependencies, ...file.peerDependencies }
    const inside = sources.filter(({ path }) => path.startsWith(`packages/${folder}/src/`))
    return inside.flatMap(({ path, imports }) =>
      imports
        .filter(({ relative, target }) => !relative && !target.startsWith('node:'))
        .map(({ target, line }) => ({ name: packageOf(target), line }))
        .filter(({ name }) => !(name in declared))
        .map(({ name, line }) => `${path}:${line} imports ${name}, which its package.json does not name`),
    )
  })
}

function packageOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')
}

/** The contract suites, and the packages that shall call each: what implements a port has passed its suite. */
const suites: readonly { suite: string; of: RegExp }[] = [
  { suite: 'describeStore', of: /^store-(?!sql$)/ },
  { suite: 'describeProcessor', of: /^processor-/ },
]

/** Implementations that live beside something else, with the suite each calls in its package's tests. */
const inner: readonly { suite: string; folder: string; implementation: RegExp }[] = [
  { suite: 'describeStore', folder: 'core', implementation: /\bmemoryStore\(/ },
  { suite: 'describeQueue', folder: 'webhooks', implementation: /\bstoreQueue\b/ },
  { suite: 'describeQueue', folder: 'webhooks', implementation: /\bredisQueue\b/ },
]

export function uncalledSuites(packages: readonly Package[], readTests = testsOf): Violation[] {
  const missing: Violation[] = []
  for (const { folder } of packages) {
    const tests = readTests(folder)
    for (const { suite, of } of suites) {
      if (of.test(folder) && !calling(tests, suite))
        missing.push(`packages/${folder}/test:1 never calls ${suite}`)
    }
    for (const { suite, implementation } of inner.filter((one) => one.folder === folder)) {
      const exported = implementation.source.replace(/\\[b(]/g, '')
      const exists = new RegExp(`\\b${exported}\\b`).test(readText(`packages/${folder}/src/index.ts`))
      const called = calling(tests, suite, implementation)
      if (exists && !called) missing.push(`packages/${folder}/test:1 never calls ${suite} with ${exported}`)
    }
  }
  return missing
}

function calling(tests: readonly Source[], suite: string, implementation = /./): boolean {
  return tests.some(({ text }) => text.includes(`${suite}(`) && implementation.test(text))
}

function testsOf(folder: string): Source[] {
  return sourcesOf(folder, 'test').map((path) => parseSource(path, readText(path)))
}
