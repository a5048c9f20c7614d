import type { OpenQueue } from '@quittance/webhooks'
import { describeGiving } from './queue/describe-giving.ts'
import { describeHearing } from './queue/describe-hearing.ts'
import { describeRecording } from './queue/describe-recording.ts'
import { describeReleasing } from './queue/describe-releasing.ts'
import { describeTaking } from './queue/describe-taking.ts'
import { describeWaking } from './queue/describe-waking.ts'
import { describe, suite_timeout } from './suite.ts'

export interface QueueOptions {
  /** Whether filing in one process wakes the dispatchers of all others, as through a broker. Default false. */
  announces?: boolean
}

/**
 * The contract of the delivery queue port, sentence by sentence: a queue is done when it passes. `open` is what
 * `startDispatcher` takes as `queue`. It is called several times for one store, as several processes would. A queue that
 * needs a server also passes while that server is unreachable, then without `announces`.
 */
export function describeQueue(name: string, open: OpenQueue, { announces = false }: QueueOptions = {}): void {
  describe(`${name} keeps the contract of a delivery queue`, suite_timeout, () => {
    describeTaking(open)
    describeRecording(open)
    describeReleasing(open)
    describeWaking(open)
    describeGiving(open)
    if (announces) describeHearing(open)
  })
}
