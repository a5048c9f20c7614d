import { createEngine, type EngineOptions, memoryStore } from '@quittance/core'
import { simulatedProcessor } from '@quittance/processor-simulator'
import { pino } from 'pino'
import { expect, it } from 'vitest'
import { createSecrets } from '../src/kernel/secrets.ts'
import { createIds } from '../src/ports/ids.ts'

const well: EngineOptions = {
  store: memoryStore(),
  secret: 'a secret of the tests, 32 bytes or more',
  processors: {},
  publicUrl: 'https://pay.example.com',
}

/** An engine with options that only JavaScript lets through. */
const engineWith = (options: Record<string, unknown>) => () =>
  createEngine({ ...well, ...(options as Partial<EngineOptions>) })

it.each([[undefined], [''], ['too short'], [new Uint8Array(31)]])(
  'the secret %s is refused by name',
  (secret) => {
    expect(engineWith({ secret })).toThrow('The engine needs a `secret` of at least 32 bytes.')
  },
)

it.each([undefined, '', 'foo', 'pay.example.com', '//pay.example.com', 'ftp://pay.example.com'])(
  'the publicUrl %s is refused',
  (publicUrl) => {
    const refused = new TypeError(`\`publicUrl\` is an http or https URL, not ${publicUrl}.`)
    expect(engineWith({ publicUrl })).toThrow(refused)
  },
)

it.each([
  'https://pay.example.com/?shop=1',
  'https://pay.example.com/#pay',
  'https://ada:pw@pay.example.com',
])('the publicUrl %s is refused, because no address of a page can begin with it', (publicUrl) => {
  expect(engineWith({ publicUrl })).toThrow('`publicUrl` has no query, fragment or password')
})

it.each([
  ['https://pay.example.com/', 'https://pay.example.com'],
  ['http://localhost:4242/pay', 'http://localhost:4242/pay'],
  [' https://Pay.example.com//\n', 'https://pay.example.com'],
  ['https://bücher.example', 'https://xn--bcher-kva.example'],
])('the publicUrl %s is taken', (publicUrl, shown) => {
  expect(engineWith({ publicUrl })().publicUrl).toBe(shown)
})

it('a listener of an event that there is not is refused, with those that there are', () => {
  const listen = () => {}
  const refused = /^`on` listens to payment.succeded, which is no event: there are .*payment\.succeeded/
  expect(engineWith({ on: { 'payment.succeded': listen } })).toThrow(TypeError)
  expect(engineWith({ on: { 'payment.succeded': listen } })).toThrow(refused)
  expect(engineWith({ on: { 'payment.succeeded': listen, 'payment.failed': undefined } })).not.toThrow()
})

it.each([
  ['one listener for all', { on: () => {} }, '`on` names a listener for each type of event'],
  ['a map of listeners', { on: new Map([['payment.succeeded', () => {}]]) }, '`on` names a listener for'],
  [
    'a connector that was not made',
    { connectors: { ledger: () => {} } },
    '`connectors.ledger` is a connector',
  ],
  ['a connector of nothing', { connectors: { file: null } }, '`connectors.file` is a connector, such as'],
  ['a limit for all', { rateLimit: 10 }, '`rateLimit` is false, for none, or has sandboxPerSecond, live'],
  ['a limit of nothing', { rateLimit: { sandbox: 1 } }, '`rateLimit` has no option `sandbox`: there are'],
  ['a listener that is none', { on: { 'payment.succeeded': 5 } }, 'The listener of payment.succeeded is no'],
  [
    'an option of another name',
    { listeners: {} },
    'createEngine has no option `listeners`: there are store, ',
  ],
  ['no store', { store: undefined }, '`store` is a store'],
  ['a store that was not made', { store: memoryStore }, '`store` is a store'],
  ['no processors', { processors: undefined }, '`processors` names a processor'],
  ['a processor of no environment', { processors: { test: simulatedProcessor() } }, 'not for test.'],
  ['a processor alone', { processors: simulatedProcessor() }, '`processors` are for `sandbox` and `live`'],
  [
    'a processor with a part missing',
    { processors: { live: { ...simulatedProcessor(), lookup: undefined } } },
    'no `lookup`',
  ],
  [
    'a processor of no type',
    { processors: { live: { ...simulatedProcessor(), types: ['cards'] } } },
    'a list of card and',
  ],
  ['a processor that was not made', { processors: { live: simulatedProcessor } }, '`processors.live` is no'],
  ['a logger without levels', { logger: () => {} }, 'is an object with `info`, `warn` and `error`'],
  ['a logger without warnings', { logger: { info() {}, error() {} } }, '`info`, `warn` and `error`'],
  ['a logger of nothing', { logger: null }, '`info`, `warn` and `error`'],
  ['a logger of pino', { logger: pino({ enabled: false }) }, 'pino takes them first'],
  ['a notifier of nothing', { notifier: { paused: () => {} } }, '`notifier` has `endpointPaused` or `sync'],
  ['a brand that no header can have', { brand: 'My Shop' }, '"My Shop" cannot'],
  ['an empty brand', { brand: '' }, '"" cannot'],
  [
    'a limit that is no number',
    { rateLimit: { livePerSecond: Number.NaN } },
    '`rateLimit.livePerSecond` is a',
  ],
])('%s is refused', (_, options, refused) => {
  expect(engineWith(options)).toThrow(refused)
})

it('a connector that is not configured here may be left undefined', () => {
  expect(engineWith({ connectors: { ledger: undefined } })).not.toThrow()
})

// A host that has nobody to tell may say so with one expression.
it.each([{}, { endpointPaused: undefined }])('a notifier of %j is told of nothing', (notifier) => {
  expect(engineWith({ notifier })).not.toThrow()
})

// 'false' from the environment opened the test helpers, whose clock is also the live one, and the way to private hosts.
it.each(['testHelpers', 'allowInsecureDestinations', 'notifyOfKeyEndpoints'] as const)(
  '%s is true or false, and no text',
  (name) => {
    for (const flag of ['false', '0', '', 1, null])
      expect(engineWith({ [name]: flag })).toThrow(`\`${name}\` of createEngine is true or false.`)
    expect(engineWith({ [name]: undefined })).not.toThrow()
  },
)

// Charges were made, and then no time could be written until which their keys are kept: every request threw, and its
// key was never healed. From the year 10000 on a key sorted as due at once, and was forgotten as soon as it was answered.
it.each([Number.POSITIVE_INFINITY, Number.MAX_SAFE_INTEGER, 1e8, 87_601, 23.9, Number.NaN, '48'])(
  'keys cannot be remembered for %s hours',
  (idempotencyRetentionHours) => {
    const refused = '`idempotencyRetentionHours` is a number, at least 24 and at most 87600.'
    expect(engineWith({ idempotencyRetentionHours })).toThrow(refused)
  },
)

it('keys can be remembered for a day, and for ten years', () => {
  expect(engineWith({ idempotencyRetentionHours: 24 })).not.toThrow()
  expect(engineWith({ idempotencyRetentionHours: 87_600 })).not.toThrow()
})

it('an answer that was sealed with another secret names the secret', async () => {
  const store = memoryStore()
  const { id: workspace } = await createEngine({ ...well, store }).admin.workspaces.create({ name: 'Acme' })
  const register = async (secret: string) => {
    const engine = createEngine({ ...well, store, secret })
    const caller = await engine.caller({ workspace, livemode: false })
    const input = { url: 'https://hooks.example.com/hook', enabled_events: ['*' as const] }
    return engine.webhook_endpoints.create(caller, input, { idempotency_key: 'once' })
  }
  await register('a secret of the tests, 32 bytes or more')
  const again = register('the secret that came after, of 32 bytes')
  await expect(again).rejects.toThrow('sealed with another `secret`')
})

it.each(['', 'cut', 'cut to ten bytes'])('and so does one that was cut to %j', (sealed) => {
  const { decrypt } = createSecrets('a secret of the tests, 32 bytes or more', createIds())
  expect(() => decrypt(sealed)).toThrow('sealed with another `secret`')
})
