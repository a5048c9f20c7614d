export { type FileConnectorOptions, fileConnector } from './file-connector.ts'
export { type LedgerConnectorOptions, ledgerConnector } from './ledger-connector.ts'
