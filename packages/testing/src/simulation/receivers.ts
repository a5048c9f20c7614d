import type { AttemptOutcome, AttemptRequest, Sender } from '@quittance/webhooks'
import { happens } from './faults.ts'
import type { SimulatedProcess } from './process.ts'
import type { World } from './world.ts'

/** What a receiver does with an attempt, and what the sender makes of it. */
export interface Behaviour extends AttemptOutcome {
  /** Whether the bytes of the event got there. */
  received: boolean
  /** Longer than the sender waits. */
  slow: boolean
}

const too_slow: Behaviour = { response_status: null, error: 'timeout', received: false, slow: true }

/** Every behaviour of the corpus of receivers, by its id there. */
export const behaviours: Readonly<Record<string, Behaviour>> = {
  'ok-200': accepts(200),
  'ok-204': accepts(204),
  'ok-226': accepts(226),
  'ok-after-16s': { ...too_slow, received: true },
  'ok-gzip-bomb': accepts(200),
  'ok-100-continue': accepts(200),
  'http-400': answers(400, 'http 400'),
  'http-404': answers(404, 'http 404'),
  'http-410': answers(410, 'http 410'),
  'http-429': answers(429, 'http 429'),
  'http-502': answers(502, 'http 502'),
  'http-599': answers(599, 'http 599'),
  'http-999': answers(999, 'http 999'),
  'redirect-301': answers(301, 'redirect'),
  'redirect-304': answers(304, 'redirect'),
  'redirect-308': answers(308, 'redirect'),
  'redirect-no-location': answers(302, 'redirect'),
  'slow-status-line': { ...too_slow, received: true },
  'slow-accept-no-read': too_slow,
  'slow-connect': too_slow,
  'bad-reset-on-accept': fails('connection reset'),
  'bad-close-mid-headers': { ...fails('connection reset'), received: true },
  'bad-http09': { ...fails('invalid response'), received: true },
  'bad-status-20': { ...fails('invalid response'), received: true },
  'bad-cl-and-te': { ...fails('invalid response'), received: true },
  'tls-self-signed': fails('tls'),
  'tls-ip-only-cert': fails('tls'),
  'tls-client-cert-required': fails('tls'),
  'tls-alert-unrecognized-name': fails('tls'),
  'dns-nxdomain': fails('dns'),
  'dns-private': fails('host not allowed'),
}

const all = Object.values(behaviours)
const bad = all.filter(({ error }) => error !== null)
const good = all.filter(({ error }) => error === null)

/** How a receiver is for the whole of a history: its host's name says so. */
export const receiver_kinds = ['well', 'well', 'well', 'unwell', 'down'] as const

/** The sender's patience, over everything up to the response's head (specification: Limits). */
const timeout_ms = 15_000
const timed_out: AttemptOutcome = { response_status: null, error: 'timeout' }

/** Sends nothing: what comes of an attempt is drawn from the ways in which receivers behave. */
export function simulatedSender(world: World, process: SimulatedProcess): Sender {
  return {
    send(request) {
      const attempt = world.witness.deliveries.sending(process, request)
      return new Promise<AttemptOutcome>((resolve) => {
        let over = false
        const end = (outcome: AttemptOutcome) => {
          over = true
          cancel()
          attempt.ended()
          resolve(outcome)
        }
        const cancel = process.clock.after(timeout_ms, () => end(timed_out))
        void world.scheduler.hold(process, 'send', async () => {
          // What is held up for longer than the sender waits never arrives.
          if (over) return
          const { received, slow, ...outcome } = behaviourOf(world, request)
          if (received) attempt.received({ received, slow, ...outcome })
          if (!slow) end(outcome)
        })
      })
    },
    close: async () => {},
  }
}

function behaviourOf({ random, rates }: World, { url }: AttemptRequest): Behaviour {
  const kind = new URL(url).hostname.split('.')[0]
  if (kind === 'down' || (kind === 'unwell' && random.below(2) === 0)) return random.pick(bad)
  return happens(random, rates.receiver_misbehaves) ? random.pick(bad) : random.pick(good)
}

function accepts(response_status: number): Behaviour {
  return { response_status, error: null, received: true, slow: false }
}

function answers(response_status: number, error: string): Behaviour {
  return { response_status, error, received: true, slow: false }
}

function fails(error: string): Behaviour {
  return { response_status: null, error, received: false, slow: false }
}
