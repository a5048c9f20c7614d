import { expect, it } from 'vitest'
import { filesBelow, readText } from '../../tools/packages.ts'

const exported = JSON.parse(readText('tests/exports.json')) as Record<string, readonly string[]>

it('every function of @quittance/testing is named where its users read', () => {
  const functions = exported['@quittance/testing']?.filter((name) => !name.startsWith('type ')) ?? []
  expect(functions).toContain('simulate')
  const pages = filesBelow('docs').filter((path) => path.endsWith('.md'))
  const read = ['packages/testing/README.md', ...pages].map(readText).join('\n')
  expect(functions.filter((name) => !new RegExp(`\\b${name}\\b`).test(read))).toEqual([])
})
