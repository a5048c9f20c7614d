import { setTimeout } from 'node:timers/promises'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { freePort } from '../../../../tests/free-port.ts'
import { receiverTorture } from '../../src/receiver-torture/receiver-torture.ts'
import { mistakes } from './mistakes.ts'
import { orderReceiver, rightReceivers, wrongReceivers } from './order-receivers.ts'
import { rules } from './rules.ts'
import { secret, shopReceiver } from './shop-receiver.ts'

describe('the torture of a receiver', () => {
  it('finds nothing wrong with one that does everything right', async () => {
    expect(await receiverTorture({ ...shopReceiver(), secret, livemode: false })).toEqual([])
  })

  it.each(Object.entries(mistakes))(
    'finds out a receiver that %s, and by that only',
    async (_, { steps, breaks }) => {
      // Within one second: what is sent twice in two of them has two signatures.
      vi.useFakeTimers({ toFake: ['Date'] })
      onTestFinished(() => void vi.useRealTimers())
      const findings = await receiverTorture({ ...shopReceiver(steps), secret, livemode: false })
      const broken = new Set(findings.map((finding) => finding.rule))
      expect([...broken].sort()).toEqual(breaks.map((name) => rules[name]).sort())
    },
  )

  it.each(Object.entries(rightReceivers))(
    'finds nothing wrong with one that %s',
    async (_, { act, options }) => {
      expect(await receiverTorture({ ...orderReceiver(act), secret, ...options })).toEqual([])
    },
  )

  it.each(Object.entries(wrongReceivers))(
    'finds out a receiver of orders that %s, and by that only',
    async (_, { act, options, breaks }) => {
      const findings = await receiverTorture({ ...orderReceiver(act), secret, ...options })
      expect(findings.map(({ rule }) => rule).sort()).toEqual(breaks.map((name) => rules[name]).sort())
    },
  )

  it('has a mistake for every rule', () => {
    const all = [...Object.values(mistakes), ...Object.values(wrongReceivers)]
    const broken = new Set(all.flatMap(({ breaks }) => breaks))
    expect([...broken].sort()).toEqual(Object.keys(rules).sort())
  })

  it('says what it sent, what it expected and what came back', async () => {
    const findings = await receiverTorture({
      ...shopReceiver(mistakes['keeps no list of what it has seen']?.steps),
      secret,
    })
    expect(findings[0]).toEqual({
      rule: 'an event that comes again is answered 2xx and has no second effect',
      sent: 'one event three times, one after another',
      expected: 'a 2xx, and the effects of one',
      got: 'effects are {"status":"succeeded","parcels":3}, which once were {"status":"succeeded","parcels":1}',
    })
  })

  it('says so, and nothing else, where the receiver does not do its work', async () => {
    const { effects } = shopReceiver()
    const findings = await receiverTorture({ handler: async () => new Response(), secret, effects })
    expect(findings.map(({ rule }) => rule)).toEqual([
      'an event with a right signature is taken, and has an effect',
    ])
  })

  it.each(['127.0.0.1', 'localhost'])('says why nobody answered at %s', async (host) => {
    const { effects } = shopReceiver()
    const handler = `http://${host}:${await freePort()}/`
    const findings = await receiverTorture({ handler, secret, effects })
    expect(findings[0]?.got).toMatch(
      /^a fault instead of an answer: TypeError: fetch failed \(.*ECONNREFUSED/,
    )
  })

  it('says what a handler throws at once, and leaves no promise that rejects when its time is over', async () => {
    const { effects } = shopReceiver()
    const handler = () => {
      throw new Error('there is no such route')
    }
    const rejected: unknown[] = []
    const hear = (fault: unknown) => rejected.push(fault)
    process.on('unhandledRejection', hear)
    onTestFinished(() => void process.off('unhandledRejection', hear))
    const findings = await receiverTorture({ handler, effects, secret, timeoutMs: 100 })
    expect(findings[0]?.got).toBe('a fault instead of an answer: Error: there is no such route')
    await setTimeout(300)
    expect(rejected).toEqual([])
  })

  it('does not wait for ever', async () => {
    const { handler, effects } = shopReceiver()
    let asked = 0
    const sleepy = (request: Request) => {
      asked += 1
      return asked === 2 ? new Promise<Response>(() => {}) : handler(request)
    }
    const findings = await receiverTorture({ handler: sleepy, effects, secret, timeoutMs: 200 })
    expect(findings.map(({ got }) => got)).toContain('no answer within 200 ms')
  })
})
