import { check } from './check.ts'

/** M53: a ledger whose token cannot be opened is never read again. */
export const connections = check('connections', [], ({ encrypted_token }, { opened }, report) => {
  if (opened(encrypted_token) === null) report('M53', 'its token does not open with this `secret`')
})

export const integrations = check('integrations', [], ({ encrypted_configuration }, { opened }, report) => {
  if (opened(encrypted_configuration) === null)
    report('M53', 'its configuration does not open with this `secret`')
})
