import { createEngine, type EngineOptions, memoryStore } from '@quittance/core'
import { expect, it } from 'vitest'

const well: EngineOptions = {
  store: memoryStore(),
  secret: 'a secret of the tests, 32 bytes or more',
  processors: {},
  publicUrl: 'https://pay.example.com',
}

/** An engine with options that only JavaScript lets through. */
const engineWith = (options: Partial<Record<keyof EngineOptions, unknown>>) => () =>
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
  ['https://pay.example.com/', 'https://pay.example.com'],
  ['http://localhost:4242/pay', 'http://localhost:4242/pay'],
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
