import { createSecrets, type Secrets } from '../kernel/secrets.ts'
import type { Clock } from '../ports/clock.ts'
import type { Connector } from '../ports/connector.ts'
import { createIds, type Ids } from '../ports/ids.ts'
import { type Logger, silentLogger } from '../ports/logger.ts'
import type { Notifier } from '../ports/notifier.ts'
import type { Processor } from '../ports/processor.ts'
import type { JoinedStore, Store } from '../ports/store.ts'
import { hour_ms } from '../schema/timestamps.ts'
import { default_retention_hours } from './check-options.ts'
import type { EngineOptions, Listeners } from './engine-options.ts'
import { guardLogger } from './guarded-logger.ts'
import { guardNotifier } from './guarded-notifier.ts'
import { guardProcessor } from './guarded-processor.ts'
import { noRunningHelpers, type RunningHelpers } from './idempotency/running-helpers.ts'
import { type OpenSecret, openSecrets } from './open-secrets.ts'
import type { Book } from './unit-of-work/booked-slots.ts'

/** The ports and settings of one engine. */
export interface Services extends UnitServices {
  store: Store
}

/** What operations and actions need, in the engine's own transactions or in one that the host has opened. */
export interface UnitServices {
  store: JoinedStore
  /** Identifies the store: a unit that a listener begins on its own store waits until the listener's unit has ended. */
  given_store: JoinedStore
  /** Runs what asks a processor: closing the engine waits until it has ended. */
  keepOpen<Answer>(ask: () => Promise<Answer>): Promise<Answer>
  /** Whether the transaction is the host's. Then the processor is never asked, and a fault is thrown, not stored. */
  joined: boolean
  clock: Clock
  ids: Ids
  secrets: Secrets
  /** Of webhook endpoints. */
  secretOf: OpenSecret
  logger: Logger
  notifier: Notifier
  /** Whether to notify also of the pause of an API key's endpoint. */
  notify_of_key_endpoints: boolean
  connectors: Readonly<Record<string, Connector | undefined>>
  processors: { readonly sandbox?: Processor | undefined; readonly live?: Processor | undefined }
  listeners: Listeners
  public_url: string
  allow_insecure_destinations: boolean
  /** How long an answered Idempotency-Key is remembered. */
  idempotency_retention_ms: number
  /** The test helpers that run in this engine under an Idempotency-Key. */
  running_helpers: RunningHelpers
  /** Of the dispatchers of this process: while idle they send what is filed here without a claim. */
  bookers: ReadonlySet<Book>
  /** Called after a commit that filed deliveries for somebody to claim. */
  wake(): void
}

/** What the host gave, guarded, and the defaults of what it left out, beside what this engine has `made`. */
export function servicesOf(
  options: EngineOptions,
  made: Pick<Services, 'store' | 'given_store' | 'keepOpen' | 'clock' | 'bookers' | 'wake'>,
): Services {
  const { ids = createIds() } = options
  const secrets = createSecrets(options.secret, ids)
  const logger = guardLogger(options.logger ?? silentLogger)
  return {
    ...made,
    joined: false,
    ids,
    secrets,
    secretOf: openSecrets({ secrets, logger }),
    logger,
    notifier: guardNotifier(options.notifier ?? {}, logger),
    notify_of_key_endpoints: options.notifyOfKeyEndpoints ?? false,
    connectors: options.connectors ?? {},
    processors: guarded(options.processors, { clock: made.clock, logger }),
    listeners: options.on ?? {},
    public_url: withoutEnd(new URL(options.publicUrl)),
    allow_insecure_destinations: options.allowInsecureDestinations ?? false,
    idempotency_retention_ms: (options.idempotencyRetentionHours ?? default_retention_hours) * hour_ms,
    running_helpers: noRunningHelpers(),
  }
}

function guarded({ sandbox, live }: EngineOptions['processors'], ports: { clock: Clock; logger: Logger }) {
  return {
    ...(sandbox ? { sandbox: guardProcessor(sandbox, { ...ports, livemode: false }) } : {}),
    ...(live ? { live: guardProcessor(live, { ...ports, livemode: true }) } : {}),
  }
}

/** What the paths of pages are appended to. */
function withoutEnd({ origin, pathname }: URL): string {
  return origin + pathname.replace(/\/+$/, '')
}
