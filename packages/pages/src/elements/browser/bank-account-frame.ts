import { account_number_field, routing_number_field } from './bank-account-fields.ts'
import { runFrame } from './frame.ts'
import { textOf } from './frame-dom.ts'

runFrame({
  fields: [routing_number_field, account_number_field],
  body: () => ({
    type: 'us_bank_account',
    routing_number: textOf('routing_number'),
    account_number: textOf('account_number'),
  }),
  test_details_only: 'test_account_only',
})
