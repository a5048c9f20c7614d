import { type OpenQueue, storeQueue } from '@quittance/webhooks'
import { expect, it } from 'vitest'
import { expectDueTimeToReject } from '../src/queue/describe-waking.ts'

it('the contract suite sees a queue that takes a fault of the store for nothing due', async () => {
  await expectDueTimeToReject(storeQueue)
  const mistaken: OpenQueue = (engine) => {
    const sound = storeQueue(engine)
    return { ...sound, nextDueAt: () => sound.nextDueAt().catch(() => null) }
  }
  await expect(expectDueTimeToReject(mistaken)).rejects.toThrow('resolved "null" instead of rejecting')
})
