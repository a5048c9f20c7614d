import { naming, notOverdue, notPutOff } from './any-row.ts'
import { check } from './check.ts'

const ofItsConnection = naming('connection', 'connections', 'a connection')

/** M53: a run that goes on is due again. */
export const syncRuns = check(
  'sync_runs',
  [],
  notOverdue,
  notPutOff,
  ofItsConnection,
  ({ status, due_at }, _, report) => {
    if ((status === 'running') !== (due_at !== null)) report('M53', `is ${status} and due_at is ${due_at}`)
  },
)

export const ledgerInvoices = check(
  'ledger_invoices',
  [],
  naming('id', 'invoices', 'an invoice'),
  ofItsConnection,
)
