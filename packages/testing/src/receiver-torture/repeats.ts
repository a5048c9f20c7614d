import { bytesOf, type Received, signedAt } from './deliverer.ts'
import { alike, type Effects, shown } from './effects.ts'
import { type Bench, isTaken, type Told, type Trial } from './trial.ts'

/** How many other events come between an event and its retry after 24 hours, at a small shop. */
const events_between = 60
/** Ten deliveries run at a time for a workspace (specification, "Retries and ordering"). */
const at_once = 10

/** Delivery is at least once; receivers deduplicate on the event's `id`. */
export const repeats: readonly Trial[] = [
  {
    rule: 'an event that comes again is answered 2xx and has no second effect',
    async run(bench) {
      const story = await bench.begun()
      // Each retry is signed at its own time: only the id stays.
      const body = bytesOf(story.event)
      await bench.deliver(story.event, signedAt(bench.secret, body, -30))
      const once = await bench.effects(story)
      const retried = await bench.deliver(story.event, signedAt(bench.secret, body, -15))
      const answers = [retried, await bench.deliver(story.event)]
      return judged(bench, story, { sent: 'one event three times, one after another', once, answers })
    },
  },
  {
    rule: 'the same event at the same instant has one effect',
    async run(bench) {
      const story = await bench.begun()
      const other = await bench.begun()
      await bench.deliver(other.event)
      const once = await bench.effects(other)
      await Promise.all(Array.from({ length: at_once }, () => bench.attempt(story.event)))
      const answers = [await bench.deliver(story.event)]
      return judged(bench, story, {
        sent: `one event ${at_once} times at once, then once more`,
        once,
        answers,
      })
    },
  },
  {
    rule: 'an event is remembered longer than its retries last',
    async run(bench) {
      const story = await bench.begun()
      await bench.deliver(story.event)
      const once = await bench.effects(story)
      for (let sent = 0; sent < events_between; sent += 1) await bench.attempt((await bench.told()).event)
      const answers = [await bench.deliver(story.event)]
      const sent = `an event, ${events_between} others, and the first one again`
      return judged(bench, story, { sent, once, answers })
    },
  },
  {
    rule: 'duplicates are told by the `id` in the signed body, not by a header that nobody signed',
    async run(bench) {
      const story = await bench.begun()
      await bench.deliver(story.event)
      const once = await bench.effects(story)
      const { event } = await bench.told()
      const answers = [await bench.deliver(story.event, { event_id: event.id })]
      return judged(bench, story, {
        sent: 'one event twice, the second time with another Event-Id header',
        once,
        answers,
      })
    },
  },
]

interface Repeated {
  sent: string
  /** The effects of the event taken once. */
  once: Effects
  /** The responses to repetitions that did not run concurrently with anything. */
  answers: readonly Received[]
}

async function judged(bench: Bench, story: Told, { sent, once, answers }: Repeated) {
  const expected = 'a 2xx, and the effects of one'
  const refused = answers.find((answer) => !isTaken(answer))
  if (refused !== undefined) return [{ sent, expected, got: refused.says }]
  const effects = await bench.effects(story)
  return alike(effects, once)
    ? []
    : [{ sent, expected, got: `${shown(effects)}, which once were ${JSON.stringify(once.done)}` }]
}
