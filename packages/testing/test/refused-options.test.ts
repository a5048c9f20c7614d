import { simulatedProcessor } from '@quittance/processor-simulator'
import { describe, expect, it } from 'vitest'
import { sendsHeadersTwice } from '../src/describe-transport.ts'
import { type ReceiverTortureOptions, receiverTorture, type SimulateOptions, simulate } from '../src/index.ts'

// It tried the simulated processor, found nothing, and said so.
describe('a simulation of something else than what was meant is refused', () => {
  it.each<[string, object, string]>([
    ['a misspelt option', { seed: 1, procesor: () => ({}) }, 'no option `procesor`'],
    ['no seed', {}, '`seed` is a whole number, not undefined.'],
    ['a seed that is none', { seed: '3' }, '`seed` is a whole number'],
    ['a misspelt fault', { seed: 1, faults: { processor_brakes_before: 1 } }, 'no option `processor_brakes'],
    ['a processor itself', { seed: 1, processor: simulatedProcessor() }, '`processor` is a function'],
    ['a processor alone', { seed: 1, processor: () => simulatedProcessor() }, 'its ledger is the second'],
    ['no ledger', { seed: 1, processor: () => ({ processor: simulatedProcessor() }) }, 'its ledger is the'],
    ['no void', { seed: 1, processor: () => shown({}, { void: undefined }) }, 'one without `void`.'],
    ['a promise', { seed: 1, processor: async () => shown({}) }, ', and no promise: '],
    ['one processor for both environments', sharing('processor'), 'gave the same processor twice'],
    ['one ledger for both environments', sharing('ledger'), 'gave the same ledger twice'],
    ['a ledger of promises', showing({ refunds: async () => [] }), '`ledger.refunds()` gives a list'],
    [
      'amounts that are texts',
      showing(charges({ amount: '400' })),
      '`amount` in `ledger.charges()` is a number',
    ],
    [
      'charges without a history',
      showing(charges({ history: undefined })),
      '`history` in `ledger.charges()`',
    ],
    [
      'charges without a state',
      showing(charges({ state: undefined })),
      '`state` in `ledger.charges()` is an object',
    ],
  ])('%s', async (_, options, why) => {
    await expect(simulate(options as SimulateOptions)).rejects.toThrow(why)
  })
})

it('a suite over HTTP/2 is refused where Node has no client for it', () => {
  expect(['22.12.0', '24.14.9', '24.15.0', '25.6.1', '25.7.0', '26.0.0'].map(sendsHeadersTwice)).toEqual([
    false,
    false,
    true,
    false,
    true,
    true,
  ])
})

type Own = Partial<Record<'charges' | 'refunds', () => unknown>>

function shown(own: Own, calls = {}) {
  const processor = simulatedProcessor()
  return { processor: { ...processor, ...calls }, ledger: { ...processor.ledger, ...own } }
}

const showing = (own: Own) => ({ seed: 1, processor: () => shown(own) })

function sharing(what: 'processor' | 'ledger') {
  const shared = shown({})
  return { seed: 1, processor: () => ({ ...shown({}), [what]: shared[what] }) }
}

/** One charge, as the ledger of somebody else may show it. */
function charges(wrong: object): Own {
  const state = { kind: 'approved' }
  return {
    charges: () => [
      { key: 'key', amount: 400, currency: 'USD', state, history: [{ at: '', state }], ...wrong },
    ],
  }
}

// Some of these looked like mistakes of the receiver, others ended in a fault of the suite's own.
describe('a torture of no receiver is refused', () => {
  const well: ReceiverTortureOptions = {
    handler: () => new Response(),
    secret: 'whsec_secret',
    effects: () => 0,
  }

  it.each<[string, object, string]>([
    ['a misspelt option', { refrence: () => 'order' }, 'no option `refrence`'],
    ['no handler', { handler: undefined }, '`handler` is a function'],
    ['an empty secret', { secret: '' }, '`secret` is missing or empty.'],
    ['no secret', { secret: undefined }, '`secret` is missing or empty.'],
    ['no effects', { effects: undefined }, '`effects` of receiverTorture is a function.'],
    [
      'an amount that is none',
      { amount: '1250' },
      '`amount` of receiverTorture is a whole number, at least 1',
    ],
    ['a currency that there is not', { currency: 'EUR' }, '`currency` is USD or CAD, not EUR.'],
    ['no reference', { reference: () => '' }, '`reference` gives a text of 1 to 100 characters'],
    ['an event that there is not', { actsOn: 'payment.suceeded' }, '`actsOn` is one of payment.succeeded, '],
  ])('%s', async (_, change, why) => {
    await expect(receiverTorture({ ...well, ...change } as ReceiverTortureOptions)).rejects.toThrow(why)
  })

  it('one that takes an event and does nothing is told so', async () => {
    const findings = await receiverTorture(well)
    expect(findings.map(({ got }) => got)).toEqual([
      expect.stringMatching(/, and no effect\. .*`reference`.*`amount`.*`actsOn`/),
    ])
  })
})
