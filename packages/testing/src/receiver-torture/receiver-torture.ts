import { default_brand, option, refuseWrongOptions } from '@quittance/core'
import { type Receiver, recordingDeliverer } from './deliverer.ts'
import type { Finding } from './finding.ts'
import { forgeries } from './forgeries.ts'
import { genuine } from './genuine.ts'
import { openings } from './openings.ts'
import { orders } from './orders.ts'
import { outcomes } from './outcomes.ts'
import { repeats } from './repeats.ts'
import { type ActedOn, before, type Subject, storyteller } from './stories.ts'
import { tolerances } from './tolerances.ts'
import { type Bench, isTaken, type Trial, trialBench } from './trial.ts'

export interface ReceiverTortureOptions {
  /** A fetch-style function, or the URL of a receiver that runs. */
  handler: Receiver
  /** The endpoint's secret, `whsec_` included, by which the receiver verifies. */
  secret: string
  /**
   * What the receiver has done so far for this object, as a value of JSON: a row, a list of parcels sent, a count. Only the
   * business effects, not the receiver's own list of seen events, and no times or ids of its own but the `reference`: two
   * objects with the same history are expected to look the same. Resolves when the receiver is at rest.
   */
  effects: (subject: Subject) => unknown
  /** The event that makes the receiver do its work. Default `payment.succeeded`. */
  actsOn?: ActedOn | undefined
  /**
   * Creates what the receiver acts on, an order for instance, and returns the `reference` that its events carry, of 1 to
   * 100 characters. It gets the ids that the events will name, for receivers that know a payment by its id.
   */
  reference?: ((about: { id: string; payment: string }) => string | Promise<string>) | undefined
  /** What the events say was paid, in cents. Default 1250. */
  amount?: number | undefined
  /** Default `USD`. Elsewhere there are no bank debits. */
  currency?: 'USD' | 'CAD' | undefined
  /** The environment that the receiver serves. If given, events of the other environment must change nothing. */
  livemode?: boolean | undefined
  /** The `Service` in the names of the headers. */
  brand?: string | undefined
  /** How long it may take to respond; specification, "Delivery": 15 seconds. */
  timeoutMs?: number | undefined
}

const trials: readonly Trial[] = [
  ...openings,
  ...genuine,
  ...repeats,
  ...orders,
  ...outcomes,
  ...tolerances,
  ...forgeries,
]

/**
 * Treats a merchant's webhook receiver the way the network, a retry and an attacker would: duplicates, in sequence and
 * concurrently, events out of order, of the same millisecond and ahead of their type, payments that fail or are returned,
 * replays, forgeries, new event types, large bodies, bytes that change when they are parsed and serialized again
 * (specification, "Delivery" and "Retries and ordering"). Returns what is wrong; an empty list if nothing was found.
 * docs/verifying.md lists what cannot be found. Throws only if `effects` or `reference` does, or if `reference` gives none.
 */
export async function receiverTorture(options: ReceiverTortureOptions): Promise<Finding[]> {
  checkOptions(options)
  const { handler, secret, brand = default_brand, timeoutMs = 15_000 } = options
  const { actsOn: acts_on = 'payment.succeeded', amount = 1250, currency = 'USD', livemode = false } = options
  const { send, leaks } = recordingDeliverer({ handler, secret, brand, timeout_ms: timeoutMs })
  const { reference = anyReference() } = options
  const tell = storyteller({ acts_on, amount, currency, livemode, reference })
  const around = {
    send,
    secret,
    acts_on,
    currency,
    tell,
    effects: (subject: Subject) => options.effects(subject),
  }

  let bench = trialBench({ ...around, in_order: false })
  const idle = await findIdle(bench)
  if (idle !== null) {
    // It may act on its event only after those before it.
    bench = trialBench({ ...around, in_order: true })
    if ((await findIdle(bench)) !== null) return [idle]
  }
  const findings: Finding[] = []
  for (const { needs, comes_first, rule, run } of trials) {
    if (needs === 'livemode' && options.livemode === undefined) continue
    for (const finding of await run(bench)) findings.push({ rule, ...finding })
    if (comes_first && findings.length > 0) break
  }
  return [...findings, ...leaks()]
}

/** Throws for mistakes that would look like the receiver's. */
function checkOptions(options: ReceiverTortureOptions): void {
  refuseWrongOptions('receiverTorture', options, {
    handler: option.any,
    secret: option.any,
    effects: option.required(option.call),
    actsOn: option.any,
    reference: option.call,
    amount: option.count,
    currency: option.any,
    livemode: option.flag,
    brand: option.text,
    timeoutMs: option.positive,
  })
  const { handler, secret, actsOn = 'payment.succeeded', currency = 'USD' } = options
  if (typeof handler !== 'function' && !URL.canParse(String(handler)))
    throw new TypeError('`handler` is a function that takes a Request, or the URL of a receiver.')
  // As when its environment variable is not set.
  if (typeof secret !== 'string' || secret === '') throw new TypeError('`secret` is missing or empty.')
  if (currency !== 'USD' && currency !== 'CAD')
    throw new TypeError(`\`currency\` is USD or CAD, not ${currency}.`)
  if (!Object.hasOwn(before, actsOn))
    throw new TypeError(`\`actsOn\` is one of ${Object.keys(before).join(', ')}, not ${actsOn}.`)
}

/** Null if it does its work. Else nothing can be judged: a receiver that does nothing does nothing twice. */
async function findIdle(bench: Bench): Promise<Finding | null> {
  const story = await bench.begun()
  const { type, data } = story.event
  const answer = await bench.deliver(story.event)
  if (isTaken(answer) && (await bench.hasActed(story))) return null
  const got = isTaken(answer) ? `${answer.says}, and no effect` : answer.says
  return {
    rule: 'an event with a right signature is taken, and has an effect',
    sent: `a ${type}, rightly signed, of ${JSON.stringify(data.object)}`,
    expected: 'a 2xx, and effects that are not those from before',
    got: answer.status === null ? got : `${got}. ${to_ask}`,
  }
}

const to_ask =
  'Does it save before it answers? Does it know what the object names (`reference` makes that), and expect this `amount`? Does it act on another event (`actsOn`)?'

function anyReference() {
  let made = 0
  return () => {
    made += 1
    return `order_${made}`
  }
}
