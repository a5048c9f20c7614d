import type { Processor } from '@quittance/core'
import { type SimulatedProcessor, simulatedProcessor } from '@quittance/processor-simulator'
import { describe, expect, it } from 'vitest'
import { failing, type Shown, told } from './failing-sentences.ts'

describe('the contract suite finds nothing wrong with an adapter', () => {
  it('whose look-ups lag behind, and answer unknown until they know', async () => {
    expect(await failing(() => ({ processor: looksUpLate(simulatedProcessor()) }))).toEqual([])
  })

  it.each(['throws', 'unanswered'] as const)(
    'that says that nobody knows (%s) as long as the same key is at work',
    async (because) => {
      const open = () => ({ processor: refusesWhatRunsAlready(simulatedProcessor(), because) })
      expect(await failing(open)).toEqual([])
    },
  )

  it('that cannot refuse what is still on its way, and answers unknown where it finds nothing', async () => {
    const open = () => leavesOpen(simulatedProcessor())
    expect(await failing(open)).toEqual([])
  })
})

describe('the simulation', () => {
  it('leaves open for ever what a processor neither holds nor denies', async () => {
    expect(await told(() => leavesOpen(simulatedProcessor()), never_heard)).toEqual([])
  })

  it('does not let it leave open what it holds', async () => {
    const found = await told(() => {
      const sound = simulatedProcessor()
      return { processor: { ...sound, lookup: async () => ({ kind: 'unknown' }) }, ledger: sound.ledger }
    }, never_answered)
    expect(found).toContainEqual(
      expect.stringMatching(/^M53: pay_\w+ is processing; the processor says approved$/),
    )
    expect(found).not.toContainEqual(expect.stringContaining('the processor holds no'))
  })

  it('does not let it hold nothing and say that it does', async () => {
    const found = await told(() => {
      const sound = leavesOpen(simulatedProcessor())
      const claimed = async () => ({ kind: 'charge', state: { kind: 'accepted' } }) as const
      return { ...sound, processor: { ...sound.processor, lookup: claimed } }
    }, never_heard)
    expect(found).toContainEqual(
      expect.stringMatching(/^M53: pay_\w+ is processing; the processor holds no such charge$/),
    )
  })
})

const never_heard = { processor_silent_before: 0.3 }
const never_answered = { processor_silent_after: 0.3 }

/** Its look-up tells only of what it holds: a request that it never heard of may still arrive. */
function leavesOpen(sound: SimulatedProcessor): Required<Shown> {
  const { ledger } = sound
  const lookup: Processor['lookup'] = async (request) => {
    const held = ledger.charge(request.key) ?? ledger.refund(request.key)
    return held === null ? { kind: 'unknown' } : sound.lookup(request)
  }
  return { processor: { ...sound, lookup }, ledger }
}

/** As interfaces do that answer 409 while the first request with a key is running. */
function refusesWhatRunsAlready(sound: SimulatedProcessor, because: 'throws' | 'unanswered'): Processor {
  const running = new Set<string>()
  const alone = async <Answer>(key: string, run: () => PromiseLike<Answer>) => {
    if (running.has(key) && because === 'throws') throw new Error('409')
    if (running.has(key)) return { kind: 'unanswered' } as const
    running.add(key)
    // What it takes to get there.
    await Promise.resolve()
    return Promise.resolve(run()).finally(() => running.delete(key))
  }
  return {
    ...sound,
    charge: (request) => alone(request.key, () => sound.charge(request)),
    refund: (request) => alone(request.key, () => sound.refund(request)),
  }
}

/** Its look-up sees what is a minute old, and leaves open what it does not see. */
function looksUpLate(sound: SimulatedProcessor): Processor {
  const seen_from_ms = new Map<string, number>()
  let now_ms = 0
  const note = ({ key, at }: { key: string; at: string }) => {
    now_ms = Math.max(now_ms, Date.parse(at))
    if (!seen_from_ms.has(key)) seen_from_ms.set(key, now_ms + 60_000)
  }
  return {
    ...sound,
    charge: (request) => {
      note(request)
      return sound.charge(request)
    },
    refund: (request) => {
      note(request)
      return sound.refund(request)
    },
    lookup: async (request) => {
      note(request)
      const is_early = now_ms < (seen_from_ms.get(request.key) ?? 0)
      return is_early ? { kind: 'unknown' } : sound.lookup(request)
    },
  }
}
