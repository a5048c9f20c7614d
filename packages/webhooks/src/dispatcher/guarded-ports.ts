import { answeredInTime, type Clock, type LeasedDelivery } from '@quittance/core'
import type { DeliveryQueue } from '../queue.ts'
import { longest_attempt_ms, type Sender } from '../sender/sender.ts'

/** Longer than the store takes to fail: after ten seconds it tries for the last time, for forty seconds at most. */
const queue_ms = 60_000

/** Longer than the sender's own limit. */
const sender_ms = longest_attempt_ms + 1_000

/** A host's queue as a dispatcher uses it: one that hangs has failed. Throws if it is no queue. */
export function guardQueue(queue: DeliveryQueue, clock: Clock): DeliveryQueue {
  const methods = ['claim', 'record', 'release', 'nextDueAt', 'onReady', 'close'] as const
  const missing = methods.find((method) => typeof queue?.[method] !== 'function')
  if (missing !== undefined) throw new TypeError(`\`queue\` opens a queue, which has \`${missing}\`.`)
  const answered = <Answer>(call: keyof DeliveryQueue, ask: () => PromiseLike<Answer>) =>
    answeredInTime(clock, limit(queue_ms, `\`${call}\` of the queue`), ask)
  return {
    claim: async (limit, own) => checked(await answered('claim', () => queue.claim(limit, own))),
    record: (attempts) => answered('record', () => queue.record(attempts)),
    release: (leases) => answered('release', () => queue.release(leases)),
    // What waits for it needs no answer: the sweep is set already.
    nextDueAt: () => queue.nextDueAt(),
    onReady: (wake) => leaving('onReady', queue.onReady(wake)),
    ...(queue.giveFiled && { giveFiled: (book) => leaving('giveFiled', queue.giveFiled?.(book)) }),
    close: () => answered('close', () => queue.close()),
  }
}

function checked(claimed: LeasedDelivery[]): LeasedDelivery[] {
  if (Array.isArray(claimed) && claimed.every(isLeased)) return claimed
  throw new TypeError('The queue answers what its port does not know.')
}

function isLeased(one: Partial<LeasedDelivery> | null | undefined): boolean {
  const texts = [one?.workspace, one?.id, one?.endpoint, one?.event, one?.url, one?.body, one?.lease_until]
  return texts.every((text) => typeof text === 'string')
}

/** A host's sender as a dispatcher uses it: one that hangs has made no attempt that anybody knows of. The host closes it. */
export function guardSender(sender: Sender, clock: Clock): Sender {
  const within = limit(sender_ms, '`send` of the sender')
  return {
    send: (request) => answeredInTime(clock, within, () => sender.send(request)),
    close: async () => {},
  }
}

function limit(limit_ms: number, who: string) {
  return { limit_ms, late: `${who} has not answered within ${limit_ms / 1000} s.` }
}

function leaving(call: keyof DeliveryQueue, leave: unknown): () => void {
  if (typeof leave === 'function') return () => void leave()
  throw new TypeError(`\`${call}\` of the queue gives a function that ends it.`)
}
