import { isDeepStrictEqual } from 'node:util'
import { bytesOf, type Received, type Send, type Sending } from './deliverer.ts'
import type { Finding } from './finding.ts'
import type { SentEvent, Story, Subject, Tell } from './stories.ts'

/** One rule, and how a receiver is tried on it. */
export interface Trial {
  rule: string
  /** Only where the user has said which environment the receiver serves. */
  needs?: 'livemode'
  run(bench: Bench): Promise<Omit<Finding, 'rule'>[]>
}

/** What a trial works with. */
export interface Bench {
  secret: string
  /** A new story, whose object the receiver has not heard of. */
  told(): Promise<Told>
  deliver(event: SentEvent, changes?: Partial<Sending>): Promise<Received>
  send: Send
  /** What the receiver has done for a story's object, in terms that do not depend on which object it is. */
  effects(story: Told): Promise<unknown>
  /** Whether that is something else than before the story began. */
  hasActed(story: Told): Promise<boolean>
  /** What a receiver has done once it took the story's event, and nothing else. */
  usual(): Promise<unknown>
}

/** A story, and what the receiver had done for its object before it began. */
export interface Told extends Story {
  untouched: unknown
}

interface Around {
  send: Send
  secret: string
  effects: (subject: Subject) => unknown
  tell: Tell
}

export function trialBench({ send, secret, effects, tell }: Around): Bench {
  const look = async ({ subject }: Story) => anonymous(await effects(subject), subject)
  const told = async () => {
    const story = await tell()
    return { ...story, untouched: await look(story) }
  }
  const deliver: Bench['deliver'] = (event, changes = {}) =>
    send({ body: bytesOf(event), event_id: event.id, ...changes })
  let usual: Promise<unknown> | undefined
  return {
    secret,
    told,
    deliver,
    send,
    effects: look,
    hasActed: async (story) => !isDeepStrictEqual(await look(story), story.untouched),
    usual() {
      usual ??= told().then(async (story) => {
        await deliver(story.event)
        return look(story)
      })
      return usual
    },
  }
}

export function isTaken({ status }: Received): boolean {
  return status !== null && status >= 200 && status < 300
}

export function isRefused({ status }: Received): boolean {
  return status !== null && status >= 400 && status < 500
}

/** Effects as text, for a finding. */
export function shown(effects: unknown): string {
  return `effects are ${JSON.stringify(effects)?.slice(0, 300)}`
}

/** The same effects of another object read the same. */
function anonymous(effects: unknown, { id, payment, reference }: Subject): unknown {
  const names = Object.entries({ reference, id, payment }).sort(([, a], [, b]) => b.length - a.length)
  const text = JSON.stringify(effects ?? null)
  return JSON.parse(names.reduce((all, [name, value]) => all.replaceAll(value, `<${name}>`), text))
}
