import type { Processor } from '@quittance/core'
import { type LedgerCharge, type LedgerRefund, simulatedProcessor } from '@quittance/processor-simulator'
import { describe, expect, it } from 'vitest'
import { failing, type Shown, told } from './failing-sentences.ts'

describe('the contract suite, shown the ledger of a processor', () => {
  it('finds nothing wrong with a sound one', async () => {
    expect(await failing(sound)).toEqual([])
  })

  it('sees a second charge behind the answer to the first, which it does not without the ledger', async () => {
    expect(await failing(chargesTwice)).toEqual([
      'charge answers a repeated key as it did the first time: what the ledger holds under the key',
      'charge charges once for a key that arrives many times at once: what the ledger holds under the key',
      'charge never charges a second amount under a key: what the ledger holds under the key',
      'returns tells of a returned debit with one code, and refuses to refund it: what the ledger holds under the key',
      'void stops a charge before the batch cut-off, so that it never settles and cannot be refunded: what the ledger holds under the key',
    ])
    expect(await failing(() => ({ processor: chargesTwice().processor }))).toEqual([])
  })

  it('sees a second refund behind the answer to the first', async () => {
    expect(await failing(refundsTwice)).toEqual([
      'refund gives money back once for a key that arrives ten times at once: what the ledger holds under the key',
      'refund gives money back once for a key: what the ledger holds under the key',
      'refund never gives back a second amount under a key: what the ledger holds under the key',
    ])
  })

  it('sees money move under a key that was not found, whatever was answered', async () => {
    expect(await failing(movesUnderFencedKeys)).toEqual([
      'lookup declines a charge for ever once its key was `not_found`: what moved under the key',
    ])
  })

  it('sees what a processor forgets to tell, or tells in another order', async () => {
    const sentence = 'tells all that is new since a cursor, oldest first'
    expect(await failing(() => ({ processor: skipsOne(simulatedProcessor()) }))).toEqual([
      expect.stringContaining('tells of a return after the settlement'),
      expect.stringContaining(sentence),
      expect.stringContaining('tells the same again since a cursor that it was asked with before'),
    ])
    expect(await failing(() => ({ processor: tellsBackwards(simulatedProcessor()) }))).toEqual([
      expect.stringContaining(sentence),
    ])
  })

  it('fails on pages that never end, and ends itself', async () => {
    const found = await failing(() => ({ processor: beginsAgain(simulatedProcessor()) }))
    expect(found).toContainEqual(expect.stringContaining('the pages of notifications do not end'))
  })
})

describe('the simulation', () => {
  it('names the payment that was charged twice under a key', async () => {
    const found = await told(chargesTwice)
    expect(found).toContainEqual(
      expect.stringMatching(
        /^M1: the processor charged more than once for (pay_\w+) under the key [\w-]+\.\1: (\d+ [A-Z]{3}) and \2$/,
      ),
    )
    expect(found).not.toContainEqual(expect.stringMatching(/^M8: .* for \d+ payments$/))
  })

  it('names the refund that was made twice under a key', async () => {
    expect(await told(refundsTwice)).toContainEqual(
      expect.stringMatching(
        /^M15: the processor refunded more than once for (re_\w+) under the key [\w-]+\.\1: (\d+ [A-Z]{3}) and \2$/,
      ),
    )
  })

  it('names the payment that was charged in another currency, with both', async () => {
    expect(await told(chargesDollars)).toContainEqual(
      expect.stringMatching(/^M5: pay_\w+ was charged (\d+) USD, not \1 CAD$/),
    )
  })

  it('hears the second answer to a charge that was sent twice, which is not the first', async () => {
    expect(await told(declinesWhatItKnows)).toContainEqual(
      expect.stringMatching(/^M3: pay_\w+ was captured and is failed$/),
    )
  })

  it('names what the processor holds and nobody asked for', async () => {
    const told_of = await told(inventsCharges)
    expect(told_of).toContainEqual('M3: the processor holds a charge of no payment: nobody')
    expect(told_of).toContainEqual(
      expect.stringMatching(/^M15: the processor holds a refund of nothing of ours: \S+ of nobody$/),
    )
  })

  it('names the payment that came back for another reason than was told', async () => {
    expect(await told(saysAlwaysR01)).toContainEqual(
      expect.stringMatching(/^M7: pay_\w+ was returned for R01; the processor says (R02|chargeback)$/),
    )
  })

  it('names the refund that the processor answered and forgot', async () => {
    expect(await told(forgetsRefunds)).toContainEqual(
      expect.stringMatching(
        /^M15: re_\w+ of \d+ [A-Z]{3}, of pay_\w+, is succeeded; the processor holds no such refund$/,
      ),
    )
  })
})

function sound(): Required<Shown> {
  const processor = simulatedProcessor()
  return { processor, ledger: processor.ledger }
}

/** Asked again it answers what it answered then, and charges again. */
function chargesTwice(): Required<Shown> {
  const sound = simulatedProcessor()
  const again: LedgerCharge[] = []
  const charge: Processor['charge'] = async (request) => {
    const known = sound.ledger.charge(request.key)
    if (known) again.push(known)
    return known ? sound.charge({ ...request, amount: known.amount }) : sound.charge(request)
  }
  const charges = () => [...sound.ledger.charges(), ...again]
  return { processor: { ...sound, charge }, ledger: { ...sound.ledger, charges } }
}

/** Asked again it answers what it answered then, and gives back again. */
function refundsTwice(): Required<Shown> {
  const sound = simulatedProcessor()
  const again: LedgerRefund[] = []
  const refund: Processor['refund'] = async (request) => {
    const known = sound.ledger.refund(request.key)
    if (known) again.push(known)
    return sound.refund(request)
  }
  const refunds = () => [...sound.ledger.refunds(), ...again]
  return { processor: { ...sound, refund }, ledger: { ...sound.ledger, refunds } }
}

/** Where there is nothing to tell it loses the cursor. */
function beginsAgain(sound: Processor): Processor {
  const notifications: Processor['notifications'] = async (request) => {
    const page = await sound.notifications(request)
    return page.notifications.length === 0 ? { ...page, cursor: null } : page
  }
  return { ...sound, notifications }
}

/** What was told first after a cursor is passed over: an index that is one too far. */
function skipsOne(sound: Processor): Processor {
  const notifications: Processor['notifications'] = async ({ after, at }) => {
    const { notifications, cursor } = await sound.notifications({ after, at })
    return { notifications: after === null ? notifications : notifications.slice(1), cursor }
  }
  return { ...sound, notifications }
}

function tellsBackwards(sound: Processor): Processor {
  const notifications: Processor['notifications'] = async (request) => {
    const page = await sound.notifications(request)
    return { ...page, notifications: page.notifications.toReversed() }
  }
  return { ...sound, notifications }
}

/** Asked again it says that it refuses a second charge under the key, as if there were none. */
function declinesWhatItKnows(): Required<Shown> {
  const sound = simulatedProcessor()
  const charge: Processor['charge'] = async (request) => {
    if (sound.ledger.charge(request.key) === null) return sound.charge(request)
    return { kind: 'declined', decline_code: 'duplicate', message: 'The key was used before.' }
  }
  return { processor: { ...sound, charge }, ledger: sound.ledger }
}

/** Whatever it is asked for, it knows one currency. */
function chargesDollars(): Required<Shown> {
  const processor = simulatedProcessor()
  const charge: Processor['charge'] = (request) => processor.charge({ ...request, currency: 'USD' })
  return { processor: { ...processor, charge }, ledger: processor.ledger }
}

/** Every charge is there twice, once under no key of ours, and refunds are of that one. */
function inventsCharges(): Required<Shown> {
  const processor = simulatedProcessor()
  const { ledger } = processor
  const charges = () => ledger.charges().flatMap((charge) => [charge, { ...charge, key: 'nobody' }])
  const refunds = () => ledger.refunds().map((refund) => ({ ...refund, charge_key: 'nobody' }))
  return { processor, ledger: { ...ledger, charges, refunds } }
}

/** Whatever the bank says, its adapter knows one code. */
function saysAlwaysR01(): Required<Shown> {
  const sound = simulatedProcessor()
  const notifications: Processor['notifications'] = async (request) => {
    const page = await sound.notifications(request)
    const told = page.notifications.map((one) =>
      one.of === 'charge' && one.state.kind === 'returned'
        ? { ...one, state: { ...one.state, return_code: 'R01' } }
        : one,
    )
    return { ...page, notifications: told }
  }
  return { processor: { ...sound, notifications }, ledger: sound.ledger }
}

/** It answers, and looks up, refunds that its ledger does not hold. */
function forgetsRefunds(): Required<Shown> {
  const processor = simulatedProcessor()
  return { processor, ledger: { ...processor.ledger, refunds: () => [] } }
}

/** A charge that arrives after the look-up is declined, and made. */
function movesUnderFencedKeys(): Required<Shown> {
  const sound = simulatedProcessor()
  const late = simulatedProcessor()
  const fenced = new Set<string>()
  const lookup: Processor['lookup'] = async (request) => {
    const found = await sound.lookup(request)
    if (found.kind === 'not_found') fenced.add(request.key)
    return found
  }
  const charge: Processor['charge'] = async (request) => {
    if (fenced.has(request.key)) await late.charge(request)
    return sound.charge(request)
  }
  const charges = () => [...sound.ledger.charges(), ...late.ledger.charges()]
  return { processor: { ...sound, lookup, charge }, ledger: { ...sound.ledger, charges } }
}
