import type { OpenQueue } from '@quittance/webhooks'
import { describe } from 'vitest'
import { describeRecording } from './queue/describe-recording.ts'
import { describeTaking } from './queue/describe-taking.ts'
import { describeWaking } from './queue/describe-waking.ts'

/**
 * The contract of the delivery queue port, sentence by sentence: a queue is done when it passes. `open` is what
 * `startDispatcher` takes as `queue`. It is called several times for one store, as several processes would.
 */
export function describeQueue(name: string, open: OpenQueue): void {
  describe(`${name} keeps the contract of a delivery queue`, () => {
    describeTaking(open)
    describeRecording(open)
    describeWaking(open)
  })
}
