export { type Dispatcher, type DispatcherOptions, runOnce, startDispatcher } from './dispatcher/dispatcher.ts'
export { type DeliveryQueue, type OpenQueue, storeQueue } from './queue.ts'
export type { AttemptOutcome } from './sender/exchange.ts'
export type { Dial } from './sender/pinned-connect.ts'
export type { AddressResolver } from './sender/resolver.ts'
export {
  type AttemptRequest,
  createSender,
  longest_attempt_ms,
  type Sender,
  type SenderOptions,
} from './sender/sender.ts'
export {
  type HeaderValue,
  type SignatureRefusal,
  signatureHeader,
  type VerifyOptions,
  verifySignature,
  verifyWebhook,
  type WebhookRefusal,
} from './signature.ts'
