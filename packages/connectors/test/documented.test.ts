import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { ledgerCustomer, ledgerInvoice } from '../../core/src/index.ts'

const page = readFileSync(new URL('../../../docs/back-office.md', import.meta.url), 'utf8')

it.each(Object.keys({ ...ledgerCustomer.shape, ...ledgerInvoice.shape }))(
  'the page on the back office has a row for the field %s of a record',
  (field) => {
    expect(page).toMatch(new RegExp(`^\\|[^|]*\`${field}\`[^|]*\\|`, 'm'))
  },
)
