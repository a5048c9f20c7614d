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
