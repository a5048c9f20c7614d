import type { FinishedAttempt } from '@quittance/core'
import { describe, expect, it } from 'vitest'
import { collectGarbage } from '../../../tests/collect-garbage.ts'
import { Outcomes } from '../src/dispatcher/outcomes.ts'
import type { DeliveryQueue } from '../src/index.ts'
import { service } from './service.ts'

const at = new Date(0).toISOString()
const attemptOf = (id: string, workspace = 'workspace'): FinishedAttempt => ({
  delivery: { workspace, livemode: false, id, endpoint: 'endpoint', lease: 1 },
  attempt: { started_at: at, ended_at: at, response_status: 200, error: null },
})

/** Three outcomes do not wait for others. */
async function recording(record: DeliveryQueue['record'], more_to_come = false): Promise<Outcomes> {
  const { engine } = await service()
  const outcomes = new Outcomes({
    ...{ engine, queue: { record }, many: 3 },
    moreToCome: () => more_to_come,
    onRipe: () => void outcomes.record(),
    onSettled: () => {},
  })
  return outcomes
}

describe('an outcome', () => {
  it('waits for others while more are to come, but not for long', async () => {
    const recorded: string[][] = []
    const outcomes = await recording(async (attempts) => void recorded.push(idsOf(attempts)), true)
    outcomes.add(attemptOf('1'))
    await outcomes.record()
    outcomes.add(attemptOf('2'))
    await outcomes.record()
    expect(recorded).toEqual([])
    await expect.poll(() => recorded).toEqual([['1', '2']])
  })

  it.each([
    ['many others have finished', 3, true],
    ['no more are to come', 1, false],
  ])('is recorded at once where %s', async (_, finished, more_to_come) => {
    const recorded: string[][] = []
    const outcomes = await recording(async (attempts) => void recorded.push(idsOf(attempts)), more_to_come)
    for (let id = 0; id < finished; id += 1) outcomes.add(attemptOf(`${id}`))
    await outcomes.record()
    expect(recorded.flat()).toHaveLength(finished)
  })

  it('that comes while others are recorded is so after them, with what comes meanwhile', async () => {
    const recorded: string[][] = []
    const under_way = Promise.withResolvers<void>()
    const outcomes = await recording(async (attempts) => {
      recorded.push(idsOf(attempts))
      await under_way.promise
    })
    for (const id of ['1', '2', '3']) {
      outcomes.add(attemptOf(id))
      void outcomes.record()
    }
    expect(recorded).toEqual([['1']])
    under_way.resolve()
    await expect.poll(() => recorded).toEqual([['1'], ['2', '3']])
  })

  it('of one workspace does not wait for a slow recording of another', async () => {
    const recorded: string[][] = []
    const outcomes = await recording(async (attempts) => {
      if (attempts.some(({ delivery }) => delivery.workspace === 'slow')) await new Promise(() => {})
      recorded.push(idsOf(attempts))
    })
    outcomes.add(attemptOf('1', 'slow'))
    void outcomes.record()
    outcomes.add(attemptOf('2'))
    void outcomes.record()
    await expect.poll(() => recorded).toEqual([['2']])
  })

  it('is kept no longer than until it is recorded, however long another attempt always ends meanwhile', async () => {
    const recorded: WeakRef<FinishedAttempt>[] = []
    let kept = 0
    const outcomes = await recording(async (attempts) => {
      recorded.push(...attempts.map((attempt) => new WeakRef(attempt)))
      await new Promise((resolve) => setImmediate(resolve))
      if (recorded.length < 10) end(`${recorded.length}`)
      else {
        collectGarbage()
        kept = recorded.filter((one) => one.deref() !== undefined).length
      }
    })
    const end = (id: string) => {
      outcomes.add(attemptOf(id))
      void outcomes.record()
    }
    end('0')
    await expect.poll(() => kept).toBeGreaterThan(0)
    expect(recorded).toHaveLength(10)
    // The first one and the last one.
    expect(kept).toBeLessThanOrEqual(2)
  })
})

function idsOf(attempts: readonly FinishedAttempt[]): string[] {
  return attempts.map(({ delivery }) => delivery.id)
}
