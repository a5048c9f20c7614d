import { describe, expect, it } from 'vitest'
import { readText } from '../../tools/packages.ts'
import { type Option, optionsOf } from './option-types.ts'
import { codesIn, tableOf } from './page.ts'

const page = readText('docs/options.md')

/** What each table holds, by its section and the title of its first column: types, each by its file and its name. */
const tables: [section: string, title: string, ...types: [path: string, name: string][]][] = [
  ['createEngine(options)', 'option', ['core/src/engine/engine-options', 'EngineOptions']],
  [
    'createEngine(options)',
    '`rateLimit`',
    ['core/src/engine/rate-limit', 'RateLimit'],
    ['core/src/engine/rate-limit', 'RateLimitOptions'],
  ],
  ['The engine', 'the third argument of an operation', ['core/src/engine/api', 'CallOptions']],
  ['sqliteStore(options)', 'option', ['store-sqlite/src/connections', 'SqliteStoreOptions']],
  [
    'postgresStore(options)',
    'option',
    ['store-postgres/src/connections', 'PostgresStoreOptions'],
    ['store-postgres/src/connections', 'Settings'],
  ],
  [
    'createHandler(engine, options)',
    'option',
    ['transport-http/src/handler', 'HandlerOptions'],
    ['transport-http/src/rate-limit', 'LimitsOption'],
    ['transport-http/src/pages', 'PagesOption'],
    ['transport-http/src/fetch', 'FetchOptions'],
  ],
  ['fastifyPlugin', 'option', ['transport-http/src/fastify', 'FastifyPluginOptions']],
  ['toNodeListener(handler, options)', 'option', ['transport-http/src/node', 'NodeOptions']],
  ['createBackOffice(engine, options)', 'option', ['transport-http/src/back-office', 'BackOfficeOptions']],
  ['hostedPages(engine, options)', 'option', ['pages/src/hosted-pages', 'HostedPagesOptions']],
  ['hostedPages(engine, options)', '`elements`', ['pages/src/made-tokens', 'ElementFrames']],
  ['createTokenizer(options)', 'option', ['pages/src/elements/create-tokenizer', 'TokenizerOptions']],
  ['startDispatcher(engine, options)', 'option', ['webhooks/src/dispatcher/dispatcher', 'DispatcherOptions']],
  ['runOnce(engine, options)', 'option', ['webhooks/src/dispatcher/dispatcher', 'runOnce']],
  ['createSender(options)', 'option', ['webhooks/src/sender/sender', 'SenderOptions']],
  [
    'startReconciler(engine, options)',
    'option',
    ['core/src/engine/reconcile/start-reconciler', 'startReconciler'],
  ],
  ['engine.reconcile(options)', 'option', ['core/src/engine/reconcile/reconcile', 'ReconcileOptions']],
  [
    'simulatedProcessor(options)',
    'option',
    ['processor-simulator/src/simulated-processor', 'SimulatedProcessorOptions'],
  ],
  ['redisQueue(redis, options)', 'option', ['webhooks/src/redis', 'RedisQueueOptions']],
  ['redisLimits(redis, options)', 'option', ['transport-http/src/redis-limits', 'RedisLimitsOptions']],
  ['fileConnector(options)', 'option', ['connectors/src/file-connector', 'FileConnectorOptions']],
  ['ledgerConnector(options)', 'option', ['connectors/src/ledger-connector', 'LedgerConnectorOptions']],
  ['verifyWebhook(rawBody, header, secret, options)', 'option', ['webhooks/src/signature', 'VerifyOptions']],
  ['openApiDocument(options)', 'option', ['transport-http/src/openapi/document', 'OpenApiOptions']],
]

describe('the page of options', () => {
  it.each(tables)('%s has a row for each %s, with its type', (section, title, ...types) => {
    const rows = tableOf(sectionOf(section), title, 'type', 'default').map(
      ([name = '', type = '', by_default]) => ({
        name: codesIn(name)[0] ?? '',
        type: codesIn(type)[0] ?? '',
        optional: !/^(required|this or `\w+`)$/.test(by_default ?? ''),
      }),
    )
    const options = types.flatMap(([path, name]) => optionsOf(`packages/${path}.ts`, name))
    // `RateLimitOptions` has the same, each of which may be left out.
    if (title === '`rateLimit`') for (const option of options) option.optional = true
    expect(rows.sort(byName)).toEqual(options.sort(byName))
  })

  it('has a table for every exported type of options', () => {
    const exported = JSON.parse(readText('tests/exports.json')) as Record<string, string[]>
    const names = Object.entries(exported)
      .filter(([entry]) => entry !== '@quittance/testing')
      .flatMap(([, names]) => names.flatMap((name) => /^type (\w+Options)$/.exec(name)?.[1] ?? []))
    // Of the browser's side: elements.md has them.
    const here = [...tables.flatMap(([, , ...types]) => types.map(([, name]) => name)), 'ConfirmOptions']
    expect(here).toEqual(expect.arrayContaining([...new Set(names)]))
  })

  it('has every notice', () => {
    const rows = tableOf(sectionOf('createEngine(options)'), '`notifier`', 'called')
    const notices = optionsOf('packages/core/src/ports/notifier.ts', 'Notifier')
    expect(rows.map(([name = '']) => codesIn(name)[0])).toEqual(notices.map(({ name }) => name))
    for (const [at, { type }] of notices.entries()) {
      const fields = [...type.matchAll(/^ *(\w+): /gm)].map((match) => match[1])
      expect(codesIn(rows[at]?.[2] ?? '')[0]).toBe(`{ ${fields.join(', ')} }`)
    }
  })
})

function sectionOf(title: string): string {
  const [, text = ''] = page.split(`\n## ${title}\n`)
  return text.split('\n## ')[0] ?? ''
}

function byName(one: Option, other: Option): number {
  return one.name < other.name ? -1 : 1
}
