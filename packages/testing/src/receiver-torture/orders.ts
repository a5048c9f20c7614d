import { isDeepStrictEqual } from 'node:util'
import type { SentEvent } from './stories.ts'
import { type Bench, isTaken, shown, type Told, type Trial } from './trial.ts'

/** Events come in no guaranteed order, and their object can be further along than their type. */
export const orders: readonly Trial[] = [
  {
    rule: 'events out of order end in what they end in when they come in order',
    async run(bench) {
      const forwards = await deliverAll(bench, ({ before, event }) => [...before, event])
      const backwards = await deliverAll(bench, ({ before, event }) => [event, ...before.toReversed()])
      if (isDeepStrictEqual(forwards, backwards)) return []
      const expected = `what the same events in order end in: ${shown(forwards)}`
      return [
        {
          sent: 'the last event of an object first, the ones before it after it',
          expected,
          got: shown(backwards),
        },
      ]
    },
  },
  {
    rule: 'events of the same millisecond end in what they end in at different times',
    async run(bench) {
      const orders: Record<string, (story: Told) => SentEvent[]> = {
        'in order': ({ before, event }) => [...before, event],
        'the last one first': ({ before, event }) => [event, ...before.toReversed()],
      }
      for (const [order, events] of Object.entries(orders)) {
        const usual = await deliverAll(bench, events)
        const at_once = await deliverAll(bench, (story) => events(story).map(at(story.event.created_at)))
        if (isDeepStrictEqual(usual, at_once)) continue
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
    run: onlyWithStatus(async (bench, earlier) => {
      const usual = await deliverAll(bench, ({ before, event }) => [...before, event])
      const ahead = await deliverAll(bench, ({ before, event }) => [
        ...before.filter(({ type }) => type === earlier).map(hasSucceeded),
        event,
      ])
      if (isDeepStrictEqual(usual, ahead)) return []
      const sent = `a ${earlier} whose object already says \`succeeded\`, then the event of that`
      return [{ sent, expected: `what comes of it usually: ${shown(usual)}`, got: shown(ahead) }]
    }),
  },
  {
    rule: 'what counts is the status of the object, not the type of the event',
    run: onlyOfPayments(async (bench) => {
      const usual = await bench.usual()
      const returned = await deliverAll(bench, ({ filed }) => [filed('payment.succeeded', came_back)])
      if (!isDeepStrictEqual(usual, returned)) return []
      const sent = 'a payment.succeeded whose object already says `returned`'
      return [{ sent, expected: 'not what a payment that succeeded comes to', got: shown(returned) }]
    }),
  },
  { rule: 'what has not succeeded is not acted on as if it had', run: notYet },
  {
    rule: 'a payment that came back is not paid because an older event arrives late',
    run: onlyOfPayments(async (bench) => {
      const usual = await bench.usual()
      const back = ({ filed }: Told) => filed('payment.returned', came_back)
      const in_order = await deliverAll(bench, (story) => [story.event, back(story)])
      // A receiver that does nothing on a return has nothing to lose here.
      if (isDeepStrictEqual(in_order, usual)) return []
      const overtaken = await deliverAll(bench, (story) => [back(story), story.event])
      if (!isDeepStrictEqual(overtaken, usual)) return []
      const expected = 'not what a payment that succeeded comes to'
      return [
        {
          sent: 'a payment.returned, then the payment.succeeded from before it',
          expected,
          got: shown(overtaken),
        },
      ]
    }),
  },
]

/** Of several objects: ten deliveries may run at a time, and one that is in the way of another is sent again. */
async function atOnce(bench: Bench) {
  const usual = await deliverAll(bench, ({ before, event }) => [...before, event])
  const stories = [await bench.told(), await bench.told(), await bench.told()]
  const events = stories.flatMap(({ before, event }) => [...before, event])
  const refused: SentEvent[] = []
  const deliver = async (event: SentEvent) => {
    if (!isTaken(await bench.deliver(event))) refused.push(event)
  }
  await Promise.all(events.map(deliver))
  for (const event of refused) await bench.deliver(event)
  for (const story of stories) {
    const effects = await bench.effects(story)
    if (isDeepStrictEqual(effects, usual)) continue
    const sent = `the events of ${stories.length} objects at once, and again what was not taken`
    return [{ sent, expected: `what comes of them usually: ${shown(usual)}`, got: shown(effects) }]
  }
  return []
}

/** What the receiver acts on is still to come, or never will. */
async function notYet(bench: Bench) {
  const usual = await bench.usual()
  const { event } = await bench.told()
  const findings = []
  for (const [type, fields] of Object.entries(without_success[event.type] ?? {})) {
    const effects = await deliverAll(bench, ({ filed }) => [filed(type, fields)])
    if (!isDeepStrictEqual(effects, usual)) continue
    const expected = `not what a ${event.type} comes to`
    findings.push({ sent: `a ${type}, and nothing else`, expected, got: shown(effects) })
  }
  return findings
}

const refused = {
  code: 'card_declined',
  message: 'It was refused.',
  decline_code: 'generic_decline',
  return_code: null,
}

/** By what the receiver acts on. */
const without_success: Record<string, Record<string, Record<string, unknown>>> = {
  'payment.succeeded': {
    'payment.processing': {},
    'payment.failed': { failure: refused },
    'payment.canceled': {},
  },
  'checkout_session.completed': { 'checkout_session.expired': { payment: null } },
  'refund.succeeded': {
    'refund.pending': {},
    'refund.failed': { failure: { code: 'refund_rejected', message: 'It was refused.' } },
  },
}

const came_back = {
  status: 'returned',
  failure: { code: 'returned', message: 'The bank returned it.', decline_code: null, return_code: 'R01' },
}

function at(created_at: string): (event: SentEvent) => SentEvent {
  return (event) => ({ ...event, created_at })
}

function hasSucceeded(event: SentEvent): SentEvent {
  return { ...event, data: { object: { ...event.data.object, status: 'succeeded' } } }
}

/** What the receiver has done for a new object after these events. */
async function deliverAll(bench: Bench, events: (story: Told) => SentEvent[]): Promise<unknown> {
  const story = await bench.told()
  for (const event of events(story)) await bench.deliver(event)
  return bench.effects(story)
}

type Run = (bench: Bench, earlier: string) => ReturnType<Trial['run']>

/** A checkout session's own events show no state that another one of them could overtake. */
function onlyWithStatus(run: Run): Trial['run'] {
  return async (bench) => {
    const { event, before } = await bench.told()
    const earlier = before.findLast(({ data }) => data.object.id === event.data.object.id)
    return earlier === undefined ? [] : run(bench, earlier.type)
  }
}

function onlyOfPayments(run: (bench: Bench) => ReturnType<Trial['run']>): Trial['run'] {
  return async (bench) => ((await bench.told()).event.type === 'payment.succeeded' ? run(bench) : [])
}
