import type { Event, EventType } from '../events/event.ts'
import type { Clock } from '../ports/clock.ts'
import type { Connector } from '../ports/connector.ts'
import type { Ids } from '../ports/ids.ts'
import type { Logger } from '../ports/logger.ts'
import type { Notifier } from '../ports/notifier.ts'
import type { Processor } from '../ports/processor.ts'
import type { Store } from '../ports/store.ts'
import type { RateLimitOptions } from './rate-limit.ts'

/** What a host gives an engine. */
export interface EngineOptions {
  /** Where the rows are. Closed with the engine. */
  store: Store
  /**
   * At least 32 bytes, kept by the host. Client secrets and the addresses of hosted pages are derived from it, and so is
   * the key that seals webhook secrets, ledger tokens, integrations' configurations and the responses stored under an
   * Idempotency-Key. Of several, the first is used for everything new, and the others still open what they sealed
   * (docs/operating.md).
   */
  secret: string | Uint8Array | readonly (string | Uint8Array)[]
  /** The processor of each environment. An environment without one refuses with `payment_provider_not_configured`. */
  processors: { sandbox?: Processor | undefined; live?: Processor | undefined }
  /** Where payers reach this engine. Absolute URLs are built from it, never from a request's Host. */
  publicUrl: string
  /** Default: the system's. */
  clock?: Clock | undefined
  /** Where ids, keys and secrets come from. Default: random. */
  ids?: Ids | undefined
  /** Gets faults. Default: none, and faults are reported nowhere. */
  logger?: Logger | undefined
  /** Notices for which it has no function are dropped. */
  notifier?: Notices | undefined
  /** Notifies also of the pause of an endpoint that an API key registered. Off by default. */
  notifyOfKeyEndpoints?: boolean | undefined
  /** The connectors that read ledgers, by the kind of a connection. Onboarded connections are of the kind `ledger`. */
  connectors?: Readonly<Record<string, Connector | undefined>> | undefined
  /** The `Service` in `Service-Signature`, `Service-Event-Id` and the webhook sender's `User-Agent`. */
  brand?: string | undefined
  /** How many requests a transport lets through, in place of the defaults; false: all of them. */
  rateLimit?: false | RateLimitOptions | undefined
  /** How long an answered Idempotency-Key is remembered: 72 hours by default, at least 24, at most ten years. */
  idempotencyRetentionHours?: number | undefined
  /** Accepts `http` and private hosts as webhook destinations. For development. */
  allowInsecureDestinations?: boolean | undefined
  /**
   * Opens the sandbox's test helpers. For development only: their clock is that of the whole engine, so moving it
   * moves the live environment's time too.
   */
  testHelpers?: boolean | undefined
  /** The host's listeners, called inside the transaction that files the event. */
  on?: Listeners | undefined
}

/** Those notices that a host wants. */
export type Notices = { readonly [Notice in keyof Notifier]?: Notifier[Notice] | undefined }

/** The host's listener for one event type. Runs inside the transaction that files the event; a throw rolls it back. */
export type Listener<Type extends EventType = EventType> = (
  event: Extract<Event, { type: Type }>,
  context: { tx: unknown },
) => PromiseLike<void> | void
export type Listeners = { readonly [Type in EventType]?: Listener<Type> | undefined }
