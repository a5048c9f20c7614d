import { describe, expect, it } from 'vitest'
import { exportedNames } from '../tools/documents/exports.ts'
import { badMetadata, overBudget, uncalledSuites, undeclaredImports } from './tidy/packages.ts'
import { parseSource } from './tidy/sources.ts'

const core = 'packages/core/src'

describe('the rules about packages find what is against them', () => {
  it('a dependency outside the budget is found', () => {
    const file = { name: '@quittance/core', version: '0.1.0', dependencies: { zod: '1', lodash: '1' } }
    expect(overBudget([{ folder: 'core', file }])).toEqual(['packages/core/package.json:1 depends on lodash'])
  })

  it('what the host brings is not a dependency', () => {
    const file = { name: '@quittance/webhooks', version: '0.1.0', dependencies: { ioredis: '1' } }
    expect(overBudget([{ folder: 'webhooks', file }])).toHaveLength(1)
    expect(
      overBudget([
        { folder: 'webhooks', file: { ...file, dependencies: {}, peerDependencies: { ioredis: '1' } } },
      ]),
    ).toEqual([])
  })

  it('a package without a budget is found', () => {
    expect(overBudget([{ folder: 'new', file: { name: '@quittance/new', version: '0.1.0' } }])).toHaveLength(
      1,
    )
  })

  it('an import that package.json does not name is found', () => {
    const file = { name: '@quittance/core', version: '0.1.0', dependencies: { zod: '1' } }
    const sources = parsed({
      [`${core}/a.ts`]: `import { z } from 'zod/v4'\nimport { b } from '@scope/b/c'\nimport 'node:fs'`,
    })
    expect(undeclaredImports([{ folder: 'core', file }], sources)).toEqual([
      `${core}/a.ts:2 imports @scope/b, which its package.json does not name`,
    ])
  })

  it('a package that cannot be installed is found', () => {
    const file = {
      name: 'core',
      version: '0.1.0',
      files: ['src'],
      exports: { '.': { default: './dist/index.js' } },
    }
    expect(badMetadata([{ folder: 'core', file }]).length).toBeGreaterThan(3)
  })

  it('an adapter that never calls its suite is found', () => {
    const store = {
      folder: 'store-sqlite',
      siblings: [],
      file: { name: '@quittance/store-sqlite', version: '0.1.0' },
    }
    expect(uncalledSuites([store], () => [])).toEqual([
      'packages/store-sqlite/test:1 never calls describeStore',
    ])
    expect(uncalledSuites([store], () => parsed({ 'a.test.ts': `describeStore('a', open)` }))).toEqual([])
  })

  it('an entry point that lists no names cannot be pinned', () => {
    expect(exportedNames('index.ts', `export { b, type A } from './a.ts'\nexport const c = 1`)).toEqual([
      'b',
      'c',
      'type A',
    ])
    expect(() => exportedNames('index.ts', `export * from './a.ts'`)).toThrow('without names')
  })
})

function parsed(files: Record<string, string>) {
  return Object.entries(files).map(([path, text]) => parseSource(path, text))
}
