import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { expect, it } from 'vitest'
import { hunt, isFound } from '../src/planted-bugs/hunt.ts'
import { withEdit } from '../src/planted-bugs/planted-bug.ts'
import { planted_bugs } from '../src/planted-bugs/planted-bugs.ts'

it.each(planted_bugs)('$name has its place in the engine as it is today', ({ edits }) => {
  for (const file of new Set(edits.map((edit) => edit.file))) {
    const source = readFileSync(new URL(`../../packages/${file}`, import.meta.url), 'utf8')
    const planted = edits.filter((edit) => edit.file === file).reduce(withEdit, source)
    expect(planted).not.toBe(source)
    expect(() => stripTypeScriptTypes(planted)).not.toThrow()
  }
})

it('a bug whose place is gone is not planted in silence', () => {
  const edit = { file: 'core/src/nowhere.ts', find: 'one place', replace: '' }
  expect(() => withEdit('no such thing', edit)).toThrow('has 0 places')
  expect(() => withEdit('one place, one place', edit)).toThrow('has 2 places')
})

it.each(planted_bugs)('$name is found by the simulation', async (bug) => {
  const found = await hunt(bug, { seed: 1, histories: 20_000 })
  expect(found.violations, `tried ${found.tried} histories`).not.toEqual([])
  expect(isFound(found), found.violations.join('\n')).toBe(true)
})
