import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { FinishedAttempt } from '@quittance/core'
import { expect, it } from 'vitest'
import { Outcomes } from '../src/dispatcher/outcomes.ts'
import { service } from './service.ts'

const at = new Date(0).toISOString()
const attemptOf = (id: string): FinishedAttempt => ({
  delivery: { workspace: 'workspace', livemode: false, id, endpoint: 'endpoint', lease: 1 },
  attempt: { started_at: at, ended_at: at, response_status: 200, error: null },
})

it('what is recorded is kept no longer, however long another attempt always ends meanwhile', async () => {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  const { engine } = await service()
  const recorded: WeakRef<FinishedAttempt>[] = []
  let kept = 0
  const record = async (attempts: readonly FinishedAttempt[]) => {
    recorded.push(...attempts.map((attempt) => new WeakRef(attempt)))
    await new Promise((resolve) => setImmediate(resolve))
    if (recorded.length < 10) end(`${recorded.length}`)
    else {
      collect()
      kept = recorded.filter((one) => one.deref() !== undefined).length
    }
  }
  const outcomes = new Outcomes({ engine, queue: { record }, onSettled: () => {} })
  const end = (id: string) => {
    outcomes.add(attemptOf(id))
    return outcomes.record()
  }
  await end('0')
  expect(recorded).toHaveLength(10)
  // The first one and the last one.
  expect(kept).toBeLessThanOrEqual(2)
})
