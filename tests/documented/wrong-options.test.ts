import { fileConnector, ledgerConnector } from '@quittance/connectors'
import { createEngine, type EngineOptions, memoryStore, startReconciler } from '@quittance/core'
import { createTokenizer, hostedPages } from '@quittance/pages'
import { simulatedProcessor, simulatedTokenizer } from '@quittance/processor-simulator'
import { postgresStore } from '@quittance/store-postgres'
import { sqliteStore } from '@quittance/store-sqlite'
import { createBackOffice, createHandler, openApiDocument, toNodeListener } from '@quittance/transport-http'
import { fastifyPlugin } from '@quittance/transport-http/fastify'
import { redisLimits } from '@quittance/transport-http/redis'
import { createSender, runOnce, startDispatcher, verifyWebhook } from '@quittance/webhooks'
import { redisQueue } from '@quittance/webhooks/redis'
import fastify from 'fastify'
import { Redis } from 'ioredis'
import { describe, expect, it } from 'vitest'
import { readText } from '../../tools/packages.ts'

const options: EngineOptions = {
  store: memoryStore(),
  secret: 'a secret of the tests, 32 bytes or more',
  processors: {},
  publicUrl: 'https://pay.example.com',
}
const engine = createEngine(options)
const handler = createHandler(engine)
const redis = new Redis({ lazyConnect: true })

/** What only JavaScript lets through. */
const extra = { unheard: true } as object

/** Each function that takes options, as the page of options calls it, with one that there is not. */
const calls: Record<string, () => unknown> = {
  'createEngine(options)': () => createEngine({ ...options, ...extra }),
  'sqliteStore(options)': () => sqliteStore({ filename: ':memory:', ...extra }),
  'postgresStore(options)': () => postgresStore({ connectionString: 'postgres://localhost/test', ...extra }),
  'createHandler(engine, options)': () => createHandler(engine, extra),
  fastifyPlugin: () =>
    fastify()
      .register(fastifyPlugin, { engine, ...extra })
      .ready(),
  'toNodeListener(handler, options)': () => toNodeListener(handler, extra),
  'createBackOffice(engine, options)': () => createBackOffice(engine, { authorize: () => false, ...extra }),
  'hostedPages(engine, options)': () => hostedPages(engine, extra),
  'createTokenizer(options)': () =>
    createTokenizer({
      tokenizer: simulatedTokenizer(),
      parentOrigins: ['https://shop.example.com'],
      ...extra,
    }),
  'startDispatcher(engine, options)': () => startDispatcher(engine, extra),
  'runOnce(engine, options)': () => runOnce(engine, { budgetMs: 1, ...extra }),
  'createSender(options)': () => createSender({ allowInsecureDestinations: false, ...extra }),
  'startReconciler(engine, options)': () => startReconciler(engine, extra),
  'engine.reconcile(options)': () => engine.reconcile(extra),
  'engine.verify(request)': () => engine.verify(extra),
  'simulatedProcessor(options)': () => simulatedProcessor(extra),
  'redisQueue(redis, options)': () => redisQueue(redis, extra),
  'redisLimits(redis, options)': () => redisLimits(redis, extra),
  'fileConnector(options)': () => fileConnector({ directory: 'sites', ...extra }),
  'ledgerConnector(options)': () => ledgerConnector(extra),
  'verifyWebhook(rawBody, header, secret, options)': () => verifyWebhook('{}', 't=1', 'secret', extra),
  'openApiDocument(options)': () => openApiDocument(extra),
}

describe('an option that there is not', () => {
  it.each(Object.entries(calls))('is refused by %s', async (_, call) => {
    const called = (async () => call())()
    await expect(called).rejects.toThrow(TypeError)
    await expect(called).rejects.toThrow('`unheard`')
  })

  it('is tried with every function of the page of options', () => {
    const headings = [...readText('docs/options.md').matchAll(/^## (.*)$/gm)].map(([, heading]) => heading)
    expect(Object.keys(calls)).toEqual(headings.filter((heading) => heading !== 'The engine'))
  })
})

it("Fastify's own options of a registration are not the plugin's", async () => {
  const app = fastify()
  await app.register(fastifyPlugin, { engine, prefix: '/v1', logLevel: 'warn', logSerializers: {} })
  await expect(app.ready()).resolves.toBeDefined()
})

it.each<[string, (nothing: never) => unknown]>([
  ['an engine', createHandler],
  ['an engine', startDispatcher],
  ['an engine', startReconciler],
  ['a client of ioredis', redisQueue],
  ['a client of ioredis', redisLimits],
])('without %s, %o says so', (what, call) => {
  for (const nothing of [undefined, 'redis://localhost'])
    expect(() => call(nothing as never)).toThrow(new RegExp(`^[^]*${what}`))
})

/** Wrong values, which would fail late or not at all. */
const wrong: Record<string, () => unknown> = {
  '`clock` of createEngine is an object with `now`, `real`, `after`.': () =>
    createEngine({ ...options, clock: { now: 1, real: 1, after: 1 } as never }),
  '`clock` of createEngine is an object with `now`, `real`': () =>
    createEngine({ ...options, clock: { now: () => 0 } as never }),
  '`clock` of createEngine is an object': () => createEngine({ ...options, clock: null as never }),
  '`ids` of createEngine is an object with': () => createEngine({ ...options, ids: {} as never }),
  '`filename` of sqliteStore is a text.': () => sqliteStore({ filename: 5 as never }),
  '`database` of sqliteStore is an object with `prepare`.': () => sqliteStore({ database: {} as never }),
  '`connectionString` of postgresStore is a text.': () => postgresStore({ connectionString: 5 as never }),
  '`schema` of postgresStore is a text that is not empty.': () =>
    postgresStore({ connectionString: 'postgres://localhost/test', schema: '' }),
  '`notify` of postgresStore is true or false.': () =>
    postgresStore({ connectionString: 'postgres://localhost/test', notify: 'no' as never }),
  '`limits` returns limits with `live`, which is a function.': () =>
    createHandler(engine, { limits: () => ({ sandbox: async () => null }) as never }),
  '`limits` of createHandler is a function.': () => createHandler(engine, { limits: {} as never }),
  '`remoteAddress` of createHandler is a function.': () =>
    createHandler(engine, { remoteAddress: 'x' as never }),
  '`remoteAddress` of toNodeListener is a function.': () =>
    toNodeListener(handler, { remoteAddress: 1 as never }),
  'A handler is what `createHandler(engine)` gives.': () => toNodeListener(undefined as never),
  '`elements` of hostedPages is an object.': () => hostedPages(engine, { elements: 'x' as never }),
  '`elements` has no option `bank_account`: there are card, bankAccount.': () =>
    hostedPages(engine, { elements: { card: 'https://pay.example', bank_account: 'x' } as never }),
  '`parentOrigins` of createTokenizer is a list.': () =>
    createTokenizer({ tokenizer: simulatedTokenizer(), parentOrigins: 'https://shop.example.com' as never }),
  '`basePath` begins with a slash, unlike "frames".': () =>
    createTokenizer({
      tokenizer: simulatedTokenizer(),
      parentOrigins: ['https://shop.example'],
      basePath: 'frames',
    }),
  '`parentOrigins` of createTokenizer is a': () =>
    createTokenizer({ tokenizer: simulatedTokenizer(), parentOrigins: {} as never }),
  '`queue` of a dispatcher is a function.': () => startDispatcher(engine, { queue: {} as never }),
  '`sender` of a dispatcher is an object with `send`, `close`.': () =>
    startDispatcher(engine, { sender: {} as never }),
  '`pollMs` of a dispatcher is a number above 0.': () => startDispatcher(engine, { pollMs: '1' as never }),
  'The options of startReconciler are an object.': () => startReconciler(engine, null as never),
  'The options of startReconciler are': () => startReconciler(engine, 5 as never),
  '`maxIdleConnections` of createSender is a whole number, at least 0': () =>
    createSender({ allowInsecureDestinations: false, maxIdleConnections: -1 }),
  '`maxIdleConnections` of createSender is a whole number': () =>
    createSender({ allowInsecureDestinations: false, maxIdleConnections: 1.5 }),
  '`budgetMs` of runOnce is a number above 0.': () => runOnce(engine, { budgetMs: '5' as never }),
  '`resolver` of createSender is an object with `resolve`.': () =>
    createSender({ allowInsecureDestinations: false, resolver: {} as never }),
  '`pauseMs` of startReconciler is a number above 0.': () =>
    startReconciler(engine, { pauseMs: '5' as never }),
  '`signal` of reconcile is an object with': () => engine.reconcile({ signal: {} as never }),
  '`signal` of reconcile is an object with `aborted`.': () => engine.reconcile({ signal: 5 as never }),
  '`most` of verify is a whole number, at least 1, or Infinity.': () => engine.verify({ most: 0 }),
  '`sealed` of verify is true or false.': () => engine.verify({ sealed: 'no' as never }),
  '`faults` of simulatedProcessor is a function.': () => simulatedProcessor({ faults: 5 as never }),
  '`ledger` of simulatedProcessor is an object with `load`, `append`.': () =>
    simulatedProcessor({ ledger: {} as never }),
  '`settlement.delayMs` is a number, not negative.': () =>
    simulatedProcessor({ settlement: { delayMs: '60000' as never } }),
  '`settlement.holidays` has "not a day", which is no date: "YYYY-MM-DD".': () =>
    simulatedProcessor({ settlement: { calendar: 'banking', cutOff: '17:00', holidays: ['not a day'] } }),
  '`prefix` of redisQueue is a text.': () => redisQueue(redis, { prefix: 5 as never }),
  '`directory` of fileConnector is a text that is not empty.': () => fileConnector({} as never),
  '`timeoutMs` of ledgerConnector is a number above 0.': () => ledgerConnector({ timeoutMs: 0 }),
}

describe('an option of the wrong kind', () => {
  it.each(Object.entries(wrong))('is refused: %s', async (refused, call) => {
    await expect((async () => call())()).rejects.toThrow(refused)
  })
})

it.each([0, Number.POSITIVE_INFINITY])('%d idle connections may be kept', (maxIdleConnections) => {
  expect(() => createSender({ allowInsecureDestinations: false, maxIdleConnections })).not.toThrow()
})
