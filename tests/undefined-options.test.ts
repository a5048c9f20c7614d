import {
  type CallOptions,
  createEngine,
  type Engine,
  type EngineOptions,
  type Listeners,
  type RateLimitOptions,
  type startReconciler,
} from '@quittance/core'
import {
  type ElementFrames,
  type HostedPagesOptions,
  hostedPages,
  type TokenizerOptions,
} from '@quittance/pages'
import { type SimulatedProcessorOptions, simulatedProcessor } from '@quittance/processor-simulator'
import type { PostgresStoreOptions } from '@quittance/store-postgres'
import { type SqliteStoreOptions, sqliteStore } from '@quittance/store-sqlite'
import {
  createHandler,
  type HandlerOptions,
  type NodeOptions,
  type OpenApiOptions,
} from '@quittance/transport-http'
import type { FastifyPluginOptions } from '@quittance/transport-http/fastify'
import {
  type DispatcherOptions,
  type SenderOptions,
  startDispatcher,
  type VerifyOptions,
} from '@quittance/webhooks'
import { expect, expectTypeOf, it } from 'vitest'

/** The names of optional properties that cannot be set to `undefined`. */
type Refusing<Options> = Options extends unknown
  ? {
      [Name in keyof Options]-?: object extends Pick<Options, Name>
        ? Record<Name, undefined> extends Pick<Options, Name>
          ? never
          : Name
        : never
    }[keyof Options]
  : never

type AnyOptions =
  | CallOptions
  | EngineOptions
  | EngineOptions['processors']
  | NonNullable<EngineOptions['notifier']>
  | Listeners
  | RateLimitOptions
  | NonNullable<Parameters<typeof startReconciler>[1]>
  | SqliteStoreOptions
  | PostgresStoreOptions
  | HandlerOptions
  | NodeOptions
  | FastifyPluginOptions
  | OpenApiOptions
  | HostedPagesOptions
  | ElementFrames
  | TokenizerOptions
  | DispatcherOptions
  | SenderOptions
  | VerifyOptions
  | SimulatedProcessorOptions

it('an option that is undefined was not given, also where the compiler is told to tell the two apart', async () => {
  expectTypeOf<Refusing<{ some?: string }>>().toEqualTypeOf<'some'>()
  expectTypeOf<Refusing<AnyOptions>>().toBeNever()
  const engine = createEngine({
    store: sqliteStore({ filename: ':memory:', driver: undefined }),
    secret: 'a secret of the tests, 32 bytes or more',
    publicUrl: 'https://pay.example.com',
    processors: { sandbox: simulatedProcessor({ ledger: undefined, faults: undefined }), live: undefined },
    ...{
      clock: undefined,
      ids: undefined,
      logger: undefined,
      connectors: { ledger: undefined },
      brand: undefined,
    },
    rateLimit: { sandboxPerSecond: undefined, livePerSecond: 7 },
    on: { 'payment.succeeded': undefined },
  })
  expect(engine.rateLimit).toEqual({ sandboxPerSecond: 25, livePerSecond: 7, confirmsPerMinute: 10 })
  createHandler(engine, {
    basePath: undefined,
    pages: hostedPages(engine, { elements: undefined }),
    limits: undefined,
  })
  await startDispatcher(engine, { queue: undefined, concurrency: undefined, pollMs: undefined }).stop()
  await engine.close()
})

it('a key that a call cannot do without is never undefined', () => {
  type Needed = Parameters<Engine['payments' | 'refunds']['create']>[2]
  expectTypeOf<Needed['idempotency_key']>().toEqualTypeOf<string>()
})
