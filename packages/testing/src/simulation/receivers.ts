import type { AttemptOutcome } from '@quittance/webhooks'

/** What a receiver does with an attempt, and the outcome for the sender. */
export interface Behaviour extends AttemptOutcome {
  /** Whether the bytes of the event arrived. */
  received: boolean
  /** Whether it takes longer than the sender waits. */
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

/** The kind of a receiver, for a whole history: part of its host's name. */
export const receiver_kinds = ['well', 'well', 'well', 'unwell', 'down'] as const

function accepts(response_status: number): Behaviour {
  return { response_status, error: null, received: true, slow: false }
}

function answers(response_status: number, error: string): Behaviour {
  return { response_status, error, received: true, slow: false }
}

function fails(error: string): Behaviour {
  return { response_status: null, error, received: false, slow: false }
}
