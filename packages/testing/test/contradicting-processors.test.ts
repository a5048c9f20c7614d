import type { Notification, Processor } from '@quittance/core'
import { simulatedProcessor } from '@quittance/processor-simulator'
import { describe, expect, it } from 'vitest'
import { at, bankDebit, cardCharge, much_later, refundOf } from '../src/processor/requests.ts'
import { Timeline } from '../src/simulation/timeline.ts'
import { Trace } from '../src/simulation/trace.ts'
import { Witness } from '../src/simulation/witness.ts'
import { witnessedProcessor } from '../src/simulation/witnessed-processor.ts'
import { type Shown, told } from './failing-sentences.ts'

describe('the simulation reports a processor that', () => {
  it('tells of a settlement, and then that the debit was declined', async () => {
    const found = await told(() =>
      telling((one) => (one.state.kind === 'settled' ? [one, butThen(one, declined)] : [one])),
    )
    expect(found).toContainEqual(
      expect.stringMatching(/^M6: the processor told that \S+ is settled, and then that it is declined$/),
    )
  })

  it('answers declined, and tells that it took the money', async () => {
    const found = await told(declinesAndSettles)
    expect(found).toContainEqual(
      expect.stringMatching(/^M6: pay_\w+ is failed; then the processor told settled$/),
    )
  })

  it('answers success', async () => {
    const found = await told(() => answering('charge', { kind: 'success' }))
    expect(found).toContain(
      'M7: the processor\'s charge answered {"kind":"success"}, which the port does not know',
    )
  })
})

describe('the witness of a processor', () => {
  it('sees it give back what came back already', async () => {
    const { processor, broken } = witnessed(refundsWhatCameBack())
    const charge = bankDebit('btok_test_late_return')
    await processor.charge(charge)
    await processor.refund({ ...refundOf(charge, 10), at: '2026-03-03T12:00:00.000Z' })
    expect(broken('M16')).toEqual([])
    const late = { ...refundOf(charge, 10), at: much_later }
    for (let times = 0; times < 2; times += 1) await processor.refund(late)
    expect(broken('M16')).toEqual([
      `${late.key} is succeeded at the processor, after ${charge.key} came back`,
    ])
  })

  it('sees two notifications under one id, unless they are the same', async () => {
    const { processor, broken } = witnessed(telling((one) => [{ ...one, id: 'one' }]))
    const [first, second] = [bankDebit('btok_test_success'), bankDebit('btok_test_success')]
    await processor.charge(first)
    for (let times = 0; times < 2; times += 1) await processor.notifications({ after: null, at: much_later })
    expect(broken('M52')).toEqual([])
    await processor.charge(second)
    await processor.notifications({ after: null, at: '2026-03-21T12:00:00.000Z' })
    const [before, now] = [first, second].map(({ key }) => `${key} {"kind":"settled"}`)
    expect(broken('M52')).toEqual([`the processor told under the id one of ${before}, and then of ${now}`])
  })

  it('sees a refund that succeeded and was refused', async () => {
    const refused = { kind: 'refused', failure_code: 'no', message: '' } as const
    const { processor, broken } = witnessed(
      telling((one) => (one.of === 'refund' ? [one, { ...one, id: 'then', state: refused }] : [one])),
    )
    const charge = cardCharge('tok_test_refund_pending')
    await processor.charge(charge)
    const refund = refundOf(charge, 10)
    await processor.refund(refund)
    await processor.notifications({ after: null, at: much_later })
    expect(broken('M19')).toEqual([
      `the processor told that ${refund.key} is succeeded, and then that it is refused`,
    ])
  })

  it.each<[keyof typeof asked, unknown, string]>([
    ['verify', { kind: 'ok' }, '{"kind":"ok"}'],
    ['charge', 'approved', '"approved"'],
    ['refund', undefined, 'undefined'],
    ['void', { kind: 'voided' }, '{"kind":"voided"}'],
    ['lookup', { kind: 'charge', state: { kind: 'paid' } }, '{"kind":"paid"}'],
    ['notifications', [], '[]'],
    ['notifications', { notifications: [{ of: 'charge', state: { kind: 'paid' } }] }, '{"kind":"paid"}'],
  ])('sees %s answered with %j', async (call, answer, shown) => {
    const { processor, broken } = witnessed(answering(call, answer))
    const detail = `the processor's ${call} answered ${shown}, which the port does not know`
    await expect(asked[call](processor)).rejects.toThrow(detail)
    expect(broken('M7')).toEqual([detail])
  })
})

const request = cardCharge('tok_test_visa')

const asked = {
  verify: (processor: Processor) => processor.verify(request),
  charge: (processor: Processor) => processor.charge(request),
  refund: (processor: Processor) => processor.refund(refundOf(request, 1)),
  void: (processor: Processor) => processor.void(request),
  lookup: (processor: Processor) => processor.lookup(request),
  notifications: (processor: Processor) => processor.notifications({ after: null, at }),
}

/** A processor as the engines of a history reach it, and what was reported under a number. */
function witnessed({ processor, ledger }: Required<Shown>) {
  const witness = new Witness(new Timeline(), new Trace(false, () => ''))
  const broken = (invariant: string) =>
    witness.violations.filter((one) => one.invariant === invariant).map(({ detail }) => detail)
  return {
    processor: witnessedProcessor({ livemode: false, processor, ledger, control: null }, witness),
    broken,
  }
}

const declined = { kind: 'declined', decline_code: 'no', message: '' } as const

function butThen(one: Notification, state: typeof declined): Notification {
  return { id: `${one.id} then`, of: 'charge', key: one.key, state }
}

function answering(call: keyof Processor, answer: unknown): Required<Shown> {
  const sound = simulatedProcessor()
  return { processor: { ...sound, [call]: async () => answer }, ledger: sound.ledger }
}

function telling(tells: (one: Notification) => Notification[]): Required<Shown> {
  const sound = simulatedProcessor()
  const notifications: Processor['notifications'] = async (request) => {
    const page = await sound.notifications(request)
    return { ...page, notifications: page.notifications.flatMap(tells) }
  }
  return { processor: { ...sound, notifications }, ledger: sound.ledger }
}

/** Its answer to a debit is final, and its batch runs all the same. */
function declinesAndSettles(): Required<Shown> {
  const sound = simulatedProcessor()
  const charge: Processor['charge'] = async (request) => {
    const answer = await sound.charge(request)
    return answer.kind === 'accepted' ? declined : answer
  }
  return { processor: { ...sound, charge }, ledger: sound.ledger }
}

/** It looks at what was captured, and not at what came back. */
function refundsWhatCameBack(): Required<Shown> {
  const sound = simulatedProcessor()
  const made = new Set<string>()
  const refund: Processor['refund'] = async (request) => {
    const answer = await sound.refund(request)
    if (answer.kind !== 'refused' || answer.failure_code !== 'charge_returned') return answer
    made.add(request.key)
    return { kind: 'succeeded' }
  }
  const state = { kind: 'succeeded' } as const
  const refunds = () => sound.ledger.refunds().map((one) => (made.has(one.key) ? { ...one, state } : one))
  return { processor: { ...sound, refund }, ledger: { ...sound.ledger, refunds } }
}
