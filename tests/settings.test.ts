import { expect, it } from 'vitest'
import { readSettings } from '../packages/cli/src/settings.ts'

it.each([
  [undefined, false],
  ['', false],
  ['0', false],
  ['1', true],
])('the development server is strict with QUITTANCE_STRICT %s: %s', (QUITTANCE_STRICT, strict) => {
  expect(readSettings({ QUITTANCE_STRICT })).toMatchObject({ strict })
})

it('does not start with a QUITTANCE_STRICT that is neither', () => {
  expect(() => readSettings({ QUITTANCE_STRICT: 'true' })).toThrow('QUITTANCE_STRICT is 1 or 0, not true.')
})
