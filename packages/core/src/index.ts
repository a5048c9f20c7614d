export { type KeyScope, keyScopes } from './api-keys/api-key.ts'
export type { BackOffice } from './back-office/back-office.ts'
export {
  type BackOfficeCode,
  type BackOfficeError,
  backOfficeCatalogue,
  type FieldIssue,
  refusal as backOfficeRefusal,
} from './back-office/back-office-error.ts'
export type { OrganizationKey } from './back-office/create-organization-key.ts'
export type { OnboardedEntity } from './back-office/onboard-entity.ts'
export type { HistoricalSync } from './back-office/sync-historical.ts'
export type { CheckoutSession } from './checkout-sessions/checkout-session.ts'
export type { Customer } from './customers/customer.ts'
export type { Delivery } from './deliveries/delivery.ts'
export type { Attempt } from './deliveries/delivery-machine.ts'
export type { Actor, Admin, JoinedAdmin } from './engine/admin.ts'
export { type Api, type CallOptions, depth_limit } from './engine/api.ts'
export { default_brand } from './engine/check-options.ts'
export { createEngine } from './engine/create-engine.ts'
export type { ClaimTerms, Deliveries, FinishedAttempt, Unsent } from './engine/deliveries.ts'
export type { Engine } from './engine/engine.ts'
export type { EngineOptions, Listener, Listeners, Notices } from './engine/engine-options.ts'
export { guardLogger } from './engine/guarded-logger.ts'
export { delivery_lease_ms, type LeasedDelivery } from './engine/leased-delivery.ts'
export { isRemote, type OperationName, operationNamed, operationNames } from './engine/operations.ts'
export type { CheckoutPage, EnginePages, InvoicePage, PagePayment, TokenSource } from './engine/pages.ts'
export type { RateLimit, RateLimitOptions } from './engine/rate-limit.ts'
export type { ReconcileOptions } from './engine/reconcile/reconcile.ts'
export { type Reconciler, startReconciler } from './engine/reconcile/start-reconciler.ts'
export type { Answer } from './engine/request/answer.ts'
export type { OperationRequest } from './engine/request/request.ts'
export type { Resealed } from './engine/reseal.ts'
export type { Worker } from './engine/sandbox/advance-clock.ts'
export {
  type PaymentStep,
  paymentSteps,
  type RefundStep,
  refundSteps,
  type TestHelperName,
} from './engine/sandbox/helper-names.ts'
export type { TestHelper, TestHelpers } from './engine/sandbox/test-helpers.ts'
export type { BookedSlots } from './engine/unit-of-work/booked-slots.ts'
export type { InvariantReport, VerifyRequest } from './engine/verify/verify.ts'
export type { Violation } from './engine/verify/violation.ts'
export type { JoinedEngine } from './engine/with-transaction.ts'
export { catalogue, type ErrorCode } from './errors/catalogue.ts'
export { type DomainError, type ErrorExtra, errorBody, fail, statusOf } from './errors/domain-error.ts'
export { type Event, type EventOf, type EventType, eventType } from './events/event.ts'
export type { Invoice } from './invoices/invoice.ts'
export { answeredInTime } from './kernel/answered-in-time.ts'
export { baseOf } from './kernel/base-path.ts'
export { canonicalJson } from './kernel/canonical-json.ts'
export { inWords, stackOf } from './kernel/in-words.ts'
export { isError } from './kernel/is-error.ts'
export { keepingAlive } from './kernel/keeping-alive.ts'
export type { Access, Caller, Operation } from './kernel/operation.ts'
export { type OptionKind, option, refuseWrongOptions } from './kernel/refuse-wrong-options.ts'
export { Err, err, errAsync, Ok, ok, okAsync, Result, ResultAsync } from './kernel/result.ts'
export { memoryStore } from './memory-store/memory-store.ts'
export type { PaymentMethodSession } from './payment-method-sessions/payment-method-session.ts'
export type {
  BankAccountDetails,
  CardDetails,
  PaymentMethod,
  PaymentMethodType,
} from './payment-methods/payment-method.ts'
export type { Payment } from './payments/payment.ts'
export { type Clock, systemClock } from './ports/clock.ts'
export {
  type Connector,
  type CustomerPageRequest,
  type InvoicePageRequest,
  type LedgerAnswer,
  type LedgerConnection,
  type LedgerCustomer,
  type LedgerInvoice,
  ledgerCustomer,
  ledgerInvoice,
  type RejectedRecord,
  readRecords,
} from './ports/connector.ts'
export { createIds, type Ids, newRequestId } from './ports/ids.ts'
export { type Logger, silentLogger } from './ports/logger.ts'
export type { Notifier } from './ports/notifier.ts'
export { perTable, type StoredRow } from './ports/per-table.ts'
export type {
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
export type { SandboxControl, SandboxProcessor } from './ports/sandbox.ts'
export type {
  ClaimedDelivery,
  ClaimRequest,
  DueRequest,
  DueRow,
  JoinedStore,
  Lease,
  LeaseAhead,
  LeaseRequest,
  Page,
  Reads,
  ReadTable,
  Scope,
  ScopeLock,
  Store,
  Transaction,
  WriteTable,
} from './ports/store.ts'
export { type TableName, type Tables, tables, uniqueColumns, uniqueConstraints } from './ports/tables.ts'
export type { Tokenized, Tokenizer, TypedBankAccount, TypedCard } from './ports/tokenizer.ts'
export type { Refund } from './refunds/refund.ts'
export type { List } from './schema/list.ts'
export { iso, shifted } from './schema/timestamps.ts'
export { deliveryTarget, faultInUrl, isPublicAddress } from './webhook-endpoints/destination.ts'
export type { WebhookEndpoint } from './webhook-endpoints/webhook-endpoint.ts'
export type { Account, WorkspaceRow } from './workspaces/workspace.ts'
