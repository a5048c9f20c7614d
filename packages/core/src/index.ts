export { type ErrorCode, catalogue } from './errors/catalogue.ts'
export { type DomainError, errorBody, fail, statusOf } from './errors/domain-error.ts'
export type { Event, EventType } from './events/event.ts'
export { Err, err, errAsync, Ok, ok, okAsync, Result, ResultAsync } from './kernel/result.ts'
export { type Clock, systemClock } from './ports/clock.ts'
export { createIds, type Ids } from './ports/ids.ts'
export { type Logger, silentLogger } from './ports/logger.ts'
export type { Notifier } from './ports/notifier.ts'
export type {
  BankAccountDetails,
  CardDetails,
  ChargeAnswer,
  ChargeRequest,
  ChargeState,
  Lookup,
  Notification,
  NotificationPage,
  Processor,
  RefundAnswer,
  RefundRequest,
  RefundState,
  Verification,
} from './ports/processor.ts'
export type {
  ClaimedDelivery,
  ClaimRequest,
  DueRow,
  Page,
  Reads,
  ReadTable,
  Scope,
  Store,
  Transaction,
  WriteTable,
} from './ports/store.ts'
export { type TableName, type Tables, tables } from './ports/tables.ts'
export { iso, shifted } from './schema/timestamps.ts'
