import { account_number_field, routing_number_field } from './bank-account-fields.ts'
import { runFrame } from './frame.ts'

runFrame({
  fields: [routing_number_field, account_number_field],
  body: (text) => ({
    type: 'us_bank_account',
    routing_number: text('routing_number'),
    account_number: text('account_number'),
  }),
  test_details_only: 'test_account_only',
})
