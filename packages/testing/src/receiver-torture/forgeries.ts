import { createHash, createHmac } from 'node:crypto'
import { signatureHeader } from '@quittance/webhooks'
import { bytesOf, nowSeconds, type Sending } from './deliverer.ts'
import { shown } from './effects.ts'
import type { SentEvent } from './stories.ts'
import { type Bench, isRefused, type Trial } from './trial.ts'

interface Forged {
  body: string
  secret: string
  t_seconds: number
  /** The correct digest of this body, in 64 hex digits. */
  digest: string
  /** Another event that was signed correctly. */
  other: string
}

type Forgery = (forged: Forged) => Partial<Sending>

/** Signed by somebody who does not hold the secret, or over something else. */
const wrong_signatures: Record<string, Forgery> = {
  'signed with another secret': ({ body, t_seconds }) => signedBy('whsec_somebody_elses', t_seconds, body),
  'signed with the secret of another endpoint, like in form': ({ body, t_seconds, secret }) =>
    signedBy(secret.slice(0, -1) + (secret.endsWith('A') ? 'B' : 'A'), t_seconds, body),
  'signed with the secret less its `whsec_`': ({ body, t_seconds, secret }) =>
    signedBy(secret.replace(/^whsec_/, '') || 'x', t_seconds, body),
  'signed with an empty secret, as where a variable is not set': ({ body, t_seconds }) =>
    signed(t_seconds, createHmac('sha256', '').update(`${t_seconds}.${body}`).digest('hex')),
  'signed with the word `undefined`': ({ body, t_seconds }) => signedBy('undefined', t_seconds, body),
  'a digest without a key': ({ body, t_seconds }) =>
    signed(t_seconds, createHash('sha256').update(`${t_seconds}.${body}`).digest('hex')),
  'the signature of another event': ({ other, secret, t_seconds }) => signedBy(secret, t_seconds, other),
  'a body that was changed after it was signed': ({ body, secret, t_seconds }) => ({
    ...signedBy(secret, t_seconds, body.replace(/"amount":\d+/, '$&0')),
    body,
  }),
  'a `t` that was changed after it was signed': ({ t_seconds, digest }) => signed(t_seconds + 1, digest),
  'a signature over the body without `t`': ({ body, secret, t_seconds }) =>
    signed(t_seconds, createHmac('sha256', secret).update(body).digest('hex')),
  'the right digest with its last digit changed': ({ t_seconds, digest }) =>
    signed(t_seconds, digest.slice(0, -1) + (digest.endsWith('0') ? '1' : '0')),
  'the right digest under `v0`': ({ t_seconds, digest }) => ({ signature: `t=${t_seconds},v0=${digest}` }),
}

/** Headers that cannot be parsed are forgeries too (specification, "Delivery"). */
const broken_headers: Record<string, Forgery> = {
  'no signature header': () => ({ signature: null }),
  'an empty signature header': () => ({ signature: '' }),
  'a header of commas': () => ({ signature: ',,,' }),
  'a header that is no list of pairs': () => ({ signature: 'signature' }),
  'a header without `v1`': ({ t_seconds }) => ({ signature: `t=${t_seconds}` }),
  'a header with an empty `v1`': ({ t_seconds }) => signed(t_seconds, ''),
  'a header without `t`': ({ digest }) => ({ signature: `v1=${digest}` }),
  'a `t` that is no number': ({ digest }) => ({ signature: `t=NaN,v1=${digest}` }),
  'half of the right digest': ({ t_seconds, digest }) => signed(t_seconds, digest.slice(0, 32)),
  'the first digit of the right digest': ({ t_seconds, digest }) => signed(t_seconds, digest.slice(0, 1)),
  'a `v1` that is no hexadecimal': ({ t_seconds }) => signed(t_seconds, 'z'.repeat(64)),
  'a `v1` of 8,000 digits': ({ t_seconds }) => signed(t_seconds, 'a'.repeat(8_000)),
}

export const forgeries: readonly Trial[] = [
  {
    rule: 'a forged signature is refused, and nothing follows from it',
    run: (bench) => eachRefused(bench, wrong_signatures),
  },
  {
    rule: 'a signature header that cannot be parsed is refused, and nothing follows from it',
    run: (bench) => eachRefused(bench, broken_headers),
  },
  { rule: 'a forgery does not keep the event of that id from being taken', run: notPoisoned },
  { rule: 'what nobody signed is refused whatever its body is', run: strangeBodies },
]

async function eachRefused(bench: Bench, forged: Record<string, Forgery>) {
  const findings = []
  for (const [sent, forge] of Object.entries(forged)) {
    const story = await bench.begun()
    const answer = await bench.attempt(story.event, forge(await toForge(bench, story.event)))
    const acted = await bench.hasActed(story)
    if (isRefused(answer) && !acted) continue
    const got = acted ? `${answer.says}; ${shown(await bench.effects(story))}` : answer.says
    findings.push({ sent, expected: 'a 4xx, such as 400, and no effect', got })
  }
  return findings
}

/** An attacker who gets an id recorded as seen gets a payment overlooked. */
async function notPoisoned(bench: Bench) {
  const story = await bench.begun()
  await bench.attempt(story.event, signedBy('whsec_somebody_elses', nowSeconds(), bytesOf(story.event)))
  await bench.deliver(story.event)
  if (await bench.hasActed(story)) return []
  return [
    {
      sent: 'a forgery under the id of an event, then the event',
      expected: 'the effect of the event',
      got: 'no effect',
    },
  ]
}

async function strangeBodies(bench: Bench) {
  const bodies: Record<string, string | Uint8Array> = {
    'nothing at all': '',
    'something that is no JSON': '{"object":',
    'bytes that are no text': Uint8Array.of(0xff, 0xfe, 0x00, 0x80),
    'the word null': 'null',
    'two MiB': 'x'.repeat(2 * 1024 * 1024),
    '50,000 brackets': '['.repeat(50_000),
  }
  const findings = []
  for (const [sent, body] of Object.entries(bodies)) {
    const signature = signatureHeader('whsec_somebody_elses', nowSeconds(), body)
    const answer = await bench.send({ body, event_id: 'evt_test_forged', signature })
    if (!isRefused(answer) && !answer.hung_up)
      findings.push({ sent: `${sent}, forged`, expected: 'a 4xx', got: answer.says })
  }
  return findings
}

async function toForge({ secret, told }: Bench, event: SentEvent): Promise<Forged> {
  const body = bytesOf(event)
  const t_seconds = nowSeconds()
  const digest = createHmac('sha256', secret).update(`${t_seconds}.${body}`).digest('hex')
  return { body, secret, t_seconds, digest, other: bytesOf((await told()).event) }
}

function signedBy(secret: string, t_seconds: number, body: string) {
  return { signature: signatureHeader(secret, t_seconds, body) }
}

function signed(t_seconds: number, digest: string) {
  return { signature: `t=${t_seconds},v1=${digest}` }
}
