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
