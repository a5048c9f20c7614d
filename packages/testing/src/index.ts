export { attemptDue, failUntilQuiet, registeredEndpoint } from './builders/deliveries.ts'
export {
  accepted,
  confirmation,
  confirmedSession,
  createdMethod,
  freshKey,
  isBankToken,
  openSession,
  pay,
  send,
  shownPayment,
} from './builders/requests.ts'
export {
  advance,
  draftedInvoice,
  newCustomer,
  openCheckout,
  payCheckout,
  payInvoice,
  payInvoiceOnPage,
  refund,
  sentInvoice,
  shownCheckout,
  shownInvoice,
  shownRefund,
} from './builders/sales.ts'
export {
  openSandbox,
  type Sandbox,
  type SandboxOptions,
  sandboxIn,
  withProcessor,
} from './builders/sandbox.ts'
export type { LedgerContent, OpenedLedger } from './connector/reading.ts'
export { describeConnector } from './describe-connector.ts'
export { describeProcessor, type OpenProcessor } from './describe-processor.ts'
export { describeQueue, type QueueOptions } from './describe-queue.ts'
export { describeStore } from './describe-store.ts'
export { describeTransport, type TransportOptions } from './describe-transport.ts'
export { checkInvariants } from './invariants/check-invariants.ts'
export { expectInvariants, expectQuiet } from './invariants/expect-invariants.ts'
export type { Moment, Violation } from './invariants/moment.ts'
export { type Rows, readRows } from './invariants/rows.ts'
export {
  announcing,
  anyCommand,
  anySeconds,
  anyToken,
  bankTokens,
  cardTokens,
  charging,
  checkingOut,
  collecting,
  invoicing,
  often,
  passing,
  refunding,
} from './models/arbitraries.ts'
export { type Command, chosen, command, mustEqual, type Running } from './models/command.ts'
export { commands } from './models/commands.ts'
export { emptyModel, type Model } from './models/model.ts'
export { type Around, aroundPorts, type PortCall } from './ports/around.ts'
export { type CommitFault, type Committing, crashingStore } from './ports/crashing-store.ts'
export { type HeldProcessor, heldProcessor } from './ports/held-processor.ts'
export { interleaved } from './ports/interleaved.ts'
export { type Death, type MortalProcess, mortalProcess } from './ports/mortal-process.ts'
export type { ProcessorLedger } from './processor/ledger.ts'
export { type ProcessorTokens, sandbox_tokens } from './processor/tokens.ts'
export { type Random, seededIds, seededRandom } from './random.ts'
export type { Finding } from './receiver-torture/finding.ts'
export { type ReceiverTortureOptions, receiverTorture } from './receiver-torture/receiver-torture.ts'
export { compareStores, type HistoryStore } from './simulation/compare-stores.ts'
export type { FaultRates } from './simulation/faults.ts'
export { type Simulation, simulate } from './simulation/simulate.ts'
export type { SimulateOptions } from './simulation/simulate-options.ts'
export { addCounters, type Counters, type Situation, situations, unseen } from './simulation/situations.ts'
export type { Host, HostTransaction, OpenedStore, OpenStore } from './store/open-store.ts'
export type { HostAnswer } from './transport/requests.ts'
export type { MountedTransport, MountTransport } from './transport/twins.ts'
export { type VirtualClock, virtualClock } from './virtual-clock.ts'
