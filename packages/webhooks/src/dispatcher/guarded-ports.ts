import { answeredInTime, type Clock, type LeasedDelivery } from '@quittance/core'
import type { DeliveryQueue } from '../queue.ts'
import type { AttemptOutcome } from '../sender/exchange.ts'
import { longest_attempt_ms, type Sender } from '../sender/sender.ts'

/** Longer than the store takes to fail: after ten seconds it tries for the last time, for forty seconds at most. */
const queue_ms = 60_000

/** Longer than the sender's own limit. */
const sender_ms = longest_attempt_ms + 1_000

/** A host's queue as a dispatcher uses it: one that hangs has failed. Throws if it is no queue. */
export function guardQueue(queue: DeliveryQueue, clock: Clock): DeliveryQueue {
  const methods = ['claim', 'record', 'release', 'nextDueAt', 'onReady', 'giveFiled', 'close'] as const
  const missing = methods.find((method) => typeof queue?.[method] !== 'function')
  if (missing !== undefined) throw new TypeError(`\`queue\` opens a queue, which has \`${missing}\`.`)
  const answered = <Answer>(call: keyof DeliveryQueue, ask: () => PromiseLike<Answer>) =>
    answeredInTime(clock, timeLimit(queue_ms, `\`${call}\` of the queue`), ask)
  return {
    claim: async (limit, own) => checkedClaim(await answered('claim', () => queue.claim(limit, own))),
    record: (attempts) => answered('record', () => queue.record(attempts)),
    release: (leases) => answered('release', () => queue.release(leases)),
    // What waits for it needs no answer: the sweep is set already.
    nextDueAt: () => queue.nextDueAt(),
    onReady: (wake) => leaving('onReady', queue.onReady(wake)),
    giveFiled: (book) => leaving('giveFiled', queue.giveFiled(book)),
    close: () => answered('close', () => queue.close()),
  }
}

function checkedClaim(claimed: LeasedDelivery[]): LeasedDelivery[] {
  if (Array.isArray(claimed) && claimed.every(isLeased)) return claimed
  throw new TypeError('The queue answers what its port does not know.')
}

function isLeased(one: Partial<LeasedDelivery> | null | undefined): boolean {
  const texts = [one?.workspace, one?.id, one?.endpoint, one?.event, one?.url, one?.body, one?.lease_until]
  return texts.every((text) => typeof text === 'string')
}

/** A host's sender as a dispatcher uses it: one that hangs has made no attempt that anybody knows of. The host closes it. */
export function guardSender(sender: Sender, clock: Clock): Sender {
  const within = timeLimit(sender_ms, '`send` of the sender')
  return {
    send: async (request) => checkedOutcome(await answeredInTime(clock, within, () => sender.send(request))),
    close: async () => {},
  }
}

/** It may wrap ours and forget to return. */
function checkedOutcome(given: AttemptOutcome): AttemptOutcome {
  const { response_status = Number.NaN, error }: Partial<AttemptOutcome> = Object(given)
  const isStatus = Number.isInteger(response_status)
  if (error === null && isStatus && Math.floor(Number(response_status) / 100) === 2)
    return { response_status, error }
  if (typeof error === 'string' && (isStatus || response_status === null))
    return { response_status, error: error.replaceAll('\0', '').toWellFormed() }
  throw new TypeError('The sender answers what its port does not know.')
}

function timeLimit(limit_ms: number, who: string) {
  return { limit_ms, late: `${who} has not answered within ${limit_ms / 1000} s.` }
}

function leaving(call: keyof DeliveryQueue, leave: unknown): () => void {
  if (typeof leave === 'function') return () => void leave()
  throw new TypeError(`\`${call}\` of the queue gives a function that ends it.`)
}
