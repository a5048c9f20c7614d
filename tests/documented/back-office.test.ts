import { expect, it } from 'vitest'
import { backOfficeCatalogue } from '../../packages/core/src/back-office/back-office-error.ts'
import { readText } from '../../tools/packages.ts'
import { codesIn, tableOf } from './page.ts'

/** Of the specification's enumeration, what nothing answers, and what is no error. */
const absent = ['health_status_ok', 'forbidden', 'cannot_access_organization', 'api_key_not_found']

it('the page on the back office has a row for every code, with its status', () => {
  const rows = tableOf(readText('docs/back-office.md'), 'code', 'status')
  const shown = rows.map(([code = '', status]) => [codesIn(code)[0], Number(status)])
  const known = Object.entries(backOfficeCatalogue).map(([code, [status]]) => [code, status])
  expect(shown).toEqual(known.filter(([code]) => !absent.includes(String(code))))
})
