import { bytesOf, type Received, type Send, type Sending } from './deliverer.ts'
import { alike, type Effects, effectsOf } from './effects.ts'
import type { Finding } from './finding.ts'
import { inOrder, type SentEvent, type Story, type Subject, type Tell, type Telling } from './stories.ts'

/** One rule, and how a receiver is tried on it. */
export interface Trial {
  rule: string
  /** Only if the user has said which environment the receiver serves. */
  needs?: 'livemode'
  /** A receiver that breaks this rule cannot be judged by others. */
  comes_first?: true
  run(bench: Bench): Promise<Omit<Finding, 'rule'>[]>
}

/** What a trial works with. */
export interface Bench extends Pick<Telling, 'acts_on' | 'currency'> {
  secret: string
  /** A new story, whose object the receiver does not know. */
  told(): Promise<Told>
  /** A new story, told so far that the receiver will act on the story's event. */
  begun(ago_ms?: number): Promise<Told>
  /** Sends an event once. */
  attempt(event: SentEvent, changes?: Partial<Sending>): Promise<Received>
  /** Sends an event as the dispatcher does: without a 2xx it is sent again, up to eight times in all. */
  deliver(event: SentEvent, changes?: Partial<Sending>): Promise<Received>
  /** Delivers events; retries come after the others. Resolves to those that were sent eight times in vain. */
  deliverAll(events: readonly SentEvent[]): Promise<Untaken[]>
  send: Send
  /** What the receiver has done about a story. */
  effects(story: Told): Promise<Effects>
  /** What the receiver has done about a new story after these events of it. */
  after(events: (story: Told) => readonly SentEvent[]): Promise<Effects>
  /** What it has done after all events of a story, in order. */
  usual(): Promise<Effects>
  /** Whether it has done something since the story began. */
  hasActed(story: Told): Promise<boolean>
}

/** An event, and the answer to its last attempt. */
interface Untaken {
  event: SentEvent
  says: string
}

/** A story, and what the receiver had done about it before its event. */
export interface Told extends Story {
  untouched: Effects
}

interface Around extends Pick<Telling, 'acts_on' | 'currency'> {
  send: Send
  secret: string
  effects: (subject: Subject) => unknown
  tell: Tell
  /** Whether the receiver acts on the event of a story only after those before it. */
  in_order: boolean
}

/** Specification, "Retries and ordering". */
const most_attempts = 8

export function trialBench({ effects, tell, in_order, ...around }: Around): Bench {
  const look = async ({ subject }: Story) => effectsOf(subject, await effects(subject))
  const begin = async ({ ago_ms, after }: { ago_ms?: number | undefined; after: boolean }) => {
    const story = await tell(ago_ms)
    if (after) await deliverAll(story.before)
    return { ...story, untouched: await look(story) }
  }
  const attempt: Bench['attempt'] = (event, changes = {}) =>
    around.send({ body: bytesOf(event), event_id: event.id, ...changes })
  const deliver: Bench['deliver'] = async (event, changes) => {
    let answer = await attempt(event, changes)
    for (let sent = 1; sent < most_attempts && isRetried(answer); sent += 1)
      answer = await attempt(event, changes)
    return answer
  }
  const deliverAll: Bench['deliverAll'] = async (events) => {
    let untaken: Untaken[] = events.map((event) => ({ event, says: 'not sent' }))
    for (let sent = 0; sent < most_attempts && untaken.length > 0; sent += 1) {
      const again: Untaken[] = []
      for (const { event } of untaken) {
        const answer = await attempt(event)
        if (isRetried(answer)) again.push({ event, says: answer.says })
      }
      untaken = again
    }
    return untaken
  }
  const after: Bench['after'] = async (events) => {
    const story = await begin({ after: false })
    await deliverAll(events(story))
    return look(story)
  }
  let usual: Promise<Effects> | undefined
  return {
    ...around,
    told: () => begin({ after: false }),
    begun: (ago_ms) => begin({ ago_ms, after: in_order }),
    attempt,
    deliver,
    deliverAll,
    effects: look,
    after,
    usual() {
      usual ??= after(inOrder)
      return usual
    },
    hasActed: async (story) => !alike(await look(story), story.untouched),
  }
}

export function isTaken({ status }: Received): boolean {
  return status !== null && status >= 200 && status < 300
}

export function isRefused({ status }: Received): boolean {
  return status !== null && status >= 400 && status < 500
}

/** Whether a delivery is retried. Not after a timeout, though the dispatcher would: here that would take too long. */
function isRetried(answer: Received): boolean {
  return !answer.timed_out && !isTaken(answer)
}
