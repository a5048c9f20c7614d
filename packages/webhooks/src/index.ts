export type { AttemptOutcome } from './attempt.ts'
export type { Dial } from './connector.ts'
export { type Dispatcher, type DispatcherOptions, runOnce, startDispatcher } from './dispatcher.ts'
export { type DeliveryQueue, type OpenQueue, storeQueue } from './queue.ts'
export type { AddressResolver } from './resolver.ts'
export {
  type AttemptRequest,
  createSender,
  longest_attempt_ms,
  type Sender,
  type SenderOptions,
} from './sender.ts'
export {
  type HeaderValue,
  type SignatureRefusal,
  signatureHeader,
  type VerifyOptions,
  verifySignature,
  verifyWebhook,
  type WebhookRefusal,
} from './signature.ts'
