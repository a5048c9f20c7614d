import { default_brand, option, refuseWrongOptions } from '@quittance/core'
import { type Receiver, recordingDeliverer } from './deliverer.ts'
import type { Finding } from './finding.ts'
import { forgeries } from './forgeries.ts'
import { genuine } from './genuine.ts'
import { orders } from './orders.ts'
import { repeats } from './repeats.ts'
import { type ActedOn, before, type SentEvent, type Story, storyteller } from './stories.ts'
import { tolerances } from './tolerances.ts'
import { isTaken, type Trial, trialBench } from './trial.ts'

export interface ReceiverTortureOptions {
  /** A fetch-style function, or the URL of a receiver that runs. */
  handler: Receiver
  /** The endpoint's secret, `whsec_` included, by which the receiver verifies. */
  secret: string
  /**
   * What the receiver has done so far for this object, as anything that JSON can write: a row, a list of parcels sent,
   * a count. Only what follows from it in business, not the receiver's own list of seen events, and no times or ids
   * of its own: two objects with the same story are expected to look the same. Resolves when the receiver is at rest.
   */
  effects: (subject: Story['subject']) => unknown
  /** The event that makes the receiver do its work. Default `payment.succeeded`. */
  actsOn?: ActedOn
  /** Makes what the receiver acts on, an order for instance, and gives the `reference` that its events carry. */
  reference?: () => string | Promise<string>
  /** The environment the receiver serves. Where it is given, events of the other one must change nothing. */
  livemode?: boolean
  /** The `Service` in the names of the headers. */
  brand?: string
  /** How long it may take to answer; specification, "Delivery": 15 seconds. */
  timeoutMs?: number
}

const trials: readonly Trial[] = [...genuine, ...repeats, ...orders, ...tolerances, ...forgeries]

/**
 * Treats a merchant's webhook receiver the way the network, a retry and an attacker would: duplicates, one after
 * another and at the same instant, events out of order, of the same millisecond and ahead of their type, replays,
 * forgeries, new event types, large bodies, bytes that change when they are parsed and written again (specification,
 * "Delivery" and "Retries and ordering"). Gives back what is wrong; nothing: the receiver can be trusted with money.
 * Throws only where `effects` or `reference` does.
 */
export async function receiverTorture(options: ReceiverTortureOptions): Promise<Finding[]> {
  checkOptions(options)
  const { handler, secret, brand = default_brand, timeoutMs = 15_000 } = options
  const { send, leaks } = recordingDeliverer({ handler, secret, brand, timeout_ms: timeoutMs })
  const { actsOn = 'payment.succeeded', livemode = false, reference = anyReference() } = options
  const tell = storyteller({ acts_on: actsOn, livemode, reference })
  const bench = trialBench({ send, secret, effects: (subject) => options.effects(subject), tell })

  const first = await bench.told()
  const answer = await bench.deliver(first.event)
  const does_its_work = isTaken(answer) && (await bench.hasActed(first))
  if (!does_its_work)
    return [nothingHappened(first.event, isTaken(answer) ? `${answer.says}, and no effect` : answer.says)]
  const findings: Finding[] = []
  for (const { needs, rule, run } of trials) {
    if (needs === 'livemode' && options.livemode === undefined) continue
    for (const finding of await run(bench)) findings.push({ rule, ...finding })
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
    livemode: option.flag,
    brand: option.text,
    timeoutMs: option.positive,
  })
  const { handler, secret, actsOn = 'payment.succeeded' } = options
  if (typeof handler !== 'function' && !URL.canParse(String(handler)))
    throw new TypeError('`handler` is a function that takes a Request, or the URL of a receiver.')
  // As where its environment variable is not set.
  if (typeof secret !== 'string' || secret === '') throw new TypeError('`secret` is missing or empty.')
  if (!Object.hasOwn(before, actsOn))
    throw new TypeError(`\`actsOn\` is one of ${Object.keys(before).join(', ')}, not ${actsOn}.`)
}

/** Without this nothing else can be judged: a receiver that does nothing does nothing twice. */
function nothingHappened({ type }: SentEvent, got: string): Finding {
  return {
    rule: 'an event with a right signature is taken, and has an effect',
    sent: `a ${type}, rightly signed`,
    expected: 'a 2xx, and effects that are not those from before',
    got,
  }
}

function anyReference() {
  let made = 0
  return () => {
    made += 1
    return `order_${made}`
  }
}
