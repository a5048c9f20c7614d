import { createHmac } from 'node:crypto'
import { isError } from '@quittance/core'
import { signatureHeader } from '@quittance/webhooks'
import type { Finding } from './finding.ts'
import type { SentEvent } from './stories.ts'

/** A fetch-style function, or the URL of a running receiver. */
export type Receiver = string | URL | ((request: Request) => Response | Promise<Response>)

/** A request to send. */
export interface Sending {
  /** The bytes that are signed, unless `signature` is given. */
  body: string | Uint8Array
  /** The event's id, as `Service-Event-Id` names it. */
  event_id: string
  /** Null: no such header. If left out: a valid signature, made now. */
  signature?: string | null
  /** Sends the body in pieces of this many bytes. */
  piece_bytes?: number
}

export interface Received {
  /** Null if no response came. */
  status: number | null
  /** Whether it closed the connection without a response, as servers do on bodies that are too large for them. */
  hung_up: boolean
  /** Whether it took longer than it may. */
  timed_out: boolean
  /** In words. */
  says: string
}

export type Send = (sending: Sending) => Promise<Received>

interface Deliveries {
  handler: Receiver
  secret: string
  brand: string
  timeout_ms: number
}

/** Delivers to the receiver, and watches its responses for secrets. */
export function recordingDeliverer({ handler, secret, brand, timeout_ms }: Deliveries) {
  const leaking = new Set<string>()
  const send: Send = async ({ body, event_id, signature, piece_bytes }) => {
    const signed = signature === undefined ? signatureHeader(secret, nowSeconds(), body) : signature
    const headers = {
      'content-type': 'application/json',
      'user-agent': `${brand}-Webhooks/1`,
      [`${brand}-Event-Id`]: event_id,
      ...(signed === null ? {} : { [`${brand}-Signature`]: signed }),
    }
    const sent = { headers, body: streamed(body, piece_bytes), timeout_ms }
    const { said, ...received } = await answerOf(handler, sent)
    const t = /t=(\d+)/.exec(signed ?? '')?.[1] ?? ''
    const digest = createHmac('sha256', secret).update(`${t}.`).update(body).digest('hex')
    if (said.includes(secret)) leaking.add('the secret')
    if (said.includes(digest)) leaking.add('the signature that it expected')
    return received
  }
  const leaks = (): Finding[] =>
    [...leaking].map((what) => ({
      rule: 'an answer tells nobody how to sign',
      sent: 'deliveries and forgeries',
      expected: 'answers without the secret and without signatures',
      got: `an answer that holds ${what}`,
    }))
  return { send, leaks }
}

/** An event as the service writes it. */
export function bytesOf(event: SentEvent): string {
  return JSON.stringify(event)
}

export function nowSeconds(): number {
  return Math.floor(Date.now() / 1000)
}

/** A valid signature of the body, made `offset_seconds` from now. */
export function signedAt(secret: string, body: string, offset_seconds: number) {
  return { body, signature: signatureHeader(secret, nowSeconds() + offset_seconds, body) }
}

interface Sent {
  headers: Record<string, string>
  body: ReadableStream<Uint8Array<ArrayBuffer>>
  timeout_ms: number
}

async function answerOf(
  handler: Receiver,
  { headers, body, timeout_ms }: Sent,
): Promise<Received & { said: string }> {
  const signal = AbortSignal.timeout(timeout_ms)
  const init = { method: 'POST', headers, body, duplex: 'half', redirect: 'manual', signal } as const
  // Async, for a handler that throws at once: `late` must be awaited all the same, or its rejection ends the process.
  const ask = async () =>
    typeof handler === 'function'
      ? handler(new Request('https://receiver.example.com/webhooks', init))
      : fetch(handler, init)
  const late = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
  try {
    const response = await Promise.race([ask(), late])
    const text = await Promise.race([response.text(), late])
    const said = [...response.headers, text].flat().join('\n')
    const { status } = response
    return { status, hung_up: false, timed_out: false, said, says: `${status}` }
  } catch (fault) {
    const timed_out = signal.aborted
    const says = timed_out
      ? `no answer within ${timeout_ms} ms`
      : `a fault instead of an answer: ${inWords(fault)}`
    return { status: null, hung_up: typeof handler !== 'function' && !timed_out, timed_out, said: '', says }
  }
}

/** With its cause: `fetch failed` alone does not say whether the receiver was reachable. */
function inWords(fault: unknown): string {
  // An AggregateError if each address of a name was tried.
  if (fault instanceof AggregateError) return fault.errors.map(inWords).join(', ')
  const cause = isError(fault) ? fault.cause : undefined
  return cause === undefined ? `${fault}` : `${fault} (${inWords(cause)})`
}

/** Whole, or in pieces that cut characters of several bytes in two. */
function streamed(body: string | Uint8Array, piece_bytes = Number.MAX_SAFE_INTEGER) {
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : Uint8Array.from(body)
  let sent = 0
  return new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull(controller) {
      if (sent >= bytes.length) return controller.close()
      controller.enqueue(bytes.slice(sent, sent + piece_bytes))
      sent += piece_bytes
    },
  })
}
