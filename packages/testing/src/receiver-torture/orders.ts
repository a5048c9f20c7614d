import { alike, shown } from './effects.ts'
import { inOrder, type SentEvent } from './stories.ts'
import { type Bench, isTaken, type Told, type Trial } from './trial.ts'

/** Events come in no guaranteed order, and their object can be further along than their type. */
export const orders: readonly Trial[] = [
  {
    rule: 'events out of order end in what they end in when they come in order',
    async run(bench) {
      const usual = await bench.usual()
      const backwards = await bench.after(lastFirst)
      if (alike(usual, backwards)) return []
      const sent = 'the last event of an object first, the ones before it after it'
      const expected = `what the same events in order end in: ${shown(usual)}`
      return [{ sent, expected, got: shown(backwards) }]
    },
  },
  {
    rule: 'an event that comes late, or late and again, is answered 2xx in the end, so that it is not retried for days',
    async run(bench) {
      const story = await bench.told()
      const [refused] = await bench.deliverAll([...lastFirst(story), ...story.before])
      if (refused === undefined) return []
      const sent = `a ${refused.event.type} after the ${story.event.type}, up to eight times`
      return [{ sent, expected: 'a 2xx', got: refused.says }]
    },
  },
  {
    rule: 'events of the same millisecond end in what they end in at different times',
    async run(bench) {
      for (const [order, events] of Object.entries({
        'in order': inOrder,
        'the last one first': lastFirst,
      })) {
        const usual = await bench.after(events)
        const at_once = await bench.after((story) => events(story).map(at(story.event.created_at)))
        if (alike(usual, at_once)) continue
        const sent = `the events of an object, all with the same \`created_at\`, ${order}`
        const expected = `what they end in at different times: ${shown(usual)}`
        return [{ sent, expected, got: shown(at_once) }]
      }
      return []
    },
  },
  { rule: 'events that arrive at once end in what they end in one after another', run: atOnce },
  {
    rule: 'an object that is further along than the type says is acted on once',
    async run(bench) {
      const usual = await bench.usual()
      const ahead = await bench.after(({ before, event, filed }) => [
        ...before.map(({ type }) => filed(type, { status: 'succeeded' })),
        event,
      ])
      if (alike(usual, ahead)) return []
      const sent =
        'the events of an object in order, the earlier ones with an object that already says `succeeded`'
      return [{ sent, expected: `what comes of it usually: ${shown(usual)}`, got: shown(ahead) }]
    },
  },
]

function lastFirst({ before, event }: Told): SentEvent[] {
  return [event, ...before.toReversed()]
}

/** Events of several objects: ten deliveries may run at a time, and one that collides with another is retried. */
async function atOnce(bench: Bench) {
  const usual = await bench.usual()
  const stories = [await bench.told(), await bench.told(), await bench.told()]
  const refused: SentEvent[] = []
  const attempt = async (event: SentEvent) => {
    if (!isTaken(await bench.attempt(event))) refused.push(event)
  }
  await Promise.all(stories.flatMap(inOrder).map(attempt))
  await bench.deliverAll(refused)
  for (const story of stories) {
    const effects = await bench.effects(story)
    if (alike(effects, usual)) continue
    const sent = `the events of ${stories.length} objects at once, and again what was not taken`
    return [{ sent, expected: `what comes of them usually: ${shown(usual)}`, got: shown(effects) }]
  }
  return []
}

function at(created_at: string): (event: SentEvent) => SentEvent {
  return (event) => ({ ...event, created_at })
}
