import { expect, it } from 'vitest'
import { readText, sourcesOf } from '../../tools/packages.ts'
import { tableOf } from './page.ts'

const listed = tableOf(readText('docs/verifying.md'), '', 'holds')

const reported = (folder: string, within: string) =>
  sourcesOf(folder)
    .filter((path) => path.includes(within))
    .flatMap((path) => [...readText(path).matchAll(/'(M\d+)'/g)].map(([, name = '']) => name))

const inOrder = (names: readonly string[]) =>
  [...new Set(names)].sort((one, other) => Number(one.slice(1)) - Number(other.slice(1)))

it('the list of invariants has all numbers, and says of each whether rows are checked for it', () => {
  const names = listed.map(([name]) => name)
  expect(names).toEqual(listed.map((_, at) => `M${at + 1}`))
  const of_rows = listed.filter(([, , checked]) => checked === 'rows').map(([name]) => name)
  expect(of_rows).toEqual(inOrder(reported('core', 'engine/verify/')))
})

it('the list of invariants has each that the simulation reports', () => {
  const checked = inOrder(reported('testing', 'src/'))
  expect(checked.length).toBeGreaterThan(40)
  expect(listed.map(([name]) => name)).toEqual(expect.arrayContaining(checked))
})
