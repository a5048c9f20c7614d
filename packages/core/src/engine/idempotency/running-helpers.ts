import { fail } from '../../errors/domain-error.ts'
import type { Keyed } from '../request/request.ts'

/**
 * The test helpers that run in one engine under an Idempotency-Key. Nothing is stored under the key of one until it has
 * answered, because it may move the clock past every lease: only here is a second request under its key seen meanwhile.
 */
export interface RunningHelpers {
  /** Why the request has to wait or never will be accepted; null if no test helper runs under its key. */
  refusal(request: Keyed): ReturnType<typeof fail> | null
  /** Runs a test helper, and refuses its key to other requests until it has ended. */
  refusingMeanwhile<Answer>(request: Keyed, helper: () => Promise<Answer>): Promise<Answer>
}

export function noRunningHelpers(): RunningHelpers {
  const fingerprints = new Map<string, string>()
  const nameOf = ({ caller, idempotency_key }: Keyed) =>
    `${caller.workspace.id} ${caller.livemode} ${idempotency_key}`
  return {
    refusal(request) {
      const running = fingerprints.get(nameOf(request))
      if (running === undefined) return null
      return fail(running === request.fingerprint ? 'idempotency_key_in_flight' : 'idempotency_key_reused')
    },
    async refusingMeanwhile(request, helper) {
      fingerprints.set(nameOf(request), request.fingerprint)
      try {
        return await helper()
      } finally {
        fingerprints.delete(nameOf(request))
      }
    },
  }
}
