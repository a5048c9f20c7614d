import { signatureHeader } from '@quittance/webhooks'
import { bytesOf, nowSeconds, type Sending } from './deliverer.ts'
import { shown } from './effects.ts'
import type { SentEvent } from './stories.ts'
import { type Bench, isTaken, type Told, type Trial } from './trial.ts'

/** Deliveries with a valid signature, which must be accepted, however unusual they look. */
export const genuine: readonly Trial[] = [
  {
    rule: 'the signature is over the raw bytes, not over what they parse to',
    run: (bench) =>
      eachActs(bench, {
        'a body with spaces and line breaks between its fields': ({ event }) => ({
          body: JSON.stringify(event, null, 2),
        }),
        'a body with a line break behind it, in the way of Windows': ({ event }) => ({
          body: `${bytesOf(event)}\r\n`,
        }),
        'a body with its fields in another order, and names that are numbers': ({ event }) => ({
          body: JSON.stringify(Object.fromEntries(Object.entries(event).reverse())).replace(
            '"metadata":{',
            '"metadata":{"10":"x","9":"y",',
          ),
        }),
        'letters written as escapes': (story) => {
          const body = withMetadata(story, { note: 'Thé à la menthe' })
          return {
            body: body.replace('é', '\\u00e9').replace('à', '\\u00E0').replaceAll('https:/', 'https:\\/'),
          }
        },
        'numbers with an exponent': ({ event }) => ({
          body: bytesOf(event).replace(
            /"amount":(\d+)/,
            (_, amount) => `"amount":${Number(amount).toExponential()}`,
          ),
        }),
        'letters of several bytes, sent byte by byte': (story) => ({
          body: withMetadata(story, { note: '茶 ☕ 🫖 é' }),
          piece_bytes: 1,
        }),
      }),
  },
  {
    rule: 'a large event is taken',
    run: (bench) =>
      eachActs(bench, {
        'an event of 62 KB, with metadata at its limits': (story) => ({
          body: withMetadata(story, largest_metadata),
        }),
      }),
  },
  {
    rule: 'an event is taken however long ago it was filed',
    run: (bench) =>
      eachActs(
        bench,
        { 'an event of two days ago, as the last retry and a resend are': () => ({}) },
        2 * 86_400_000,
      ),
  },
  {
    rule: 'fields that are new are no reason to refuse',
    run: (bench) =>
      eachActs(bench, {
        'an event with fields that do not exist yet, in it and in its object': ({ filed, event }) => {
          const added = { ...filed(event.type, { tax: { rate: 0.2 }, channel: null }), id: event.id }
          return { body: JSON.stringify({ ...added, api_version: '2030-01-01', related: [] }) }
        },
      }),
  },
  {
    rule: 'any right `v1` will do, and schemes it does not know are passed over',
    run: (bench) => eachActs(bench, signedInSeveralWays(bench.secret)),
  },
  {
    rule: 'an event type that it does not know is answered 2xx, so that it is not retried for days',
    run: unknownTypes,
  },
  { rule: 'events of the other environment change nothing', needs: 'livemode', run: otherEnvironment },
]

type Variant = (story: Told) => Partial<Sending>

/** Each variant, correctly signed, must be accepted and do what the story's event does. */
async function eachActs(bench: Bench, variants: Record<string, Variant>, ago_ms?: number) {
  const findings = []
  for (const [sent, variant] of Object.entries(variants)) {
    const story = await bench.begun(ago_ms)
    const answer = await bench.deliver(story.event, variant(story))
    const acted = await bench.hasActed(story)
    if (isTaken(answer) && acted) continue
    const got = isTaken(answer) ? `${answer.says}, and no effect` : answer.says
    findings.push({ sent, expected: 'a 2xx, and the effect of the event', got })
  }
  return findings
}

/** The story's event, with more than the reference in the metadata of its object. */
function withMetadata({ filed, event, subject: { reference } }: Told, more: Record<string, string>): string {
  return bytesOf({ ...filed(event.type, { metadata: { reference, ...more } }), id: event.id })
}

/** 20 keys with the reference, of up to 40 characters, and values of 500; JSON writes such a character with six. */
const largest_metadata = Object.fromEntries(
  Array.from({ length: 19 }, (_, key) => [`${key}`.padEnd(40, '\u0001'), '\u0001'.repeat(500)]),
)

function signedInSeveralWays(secret: string): Record<string, Variant> {
  const parts = (event: SentEvent) => {
    const body = bytesOf(event)
    const [t = '', v1 = ''] = signatureHeader(secret, nowSeconds(), body).split(',')
    return { body, t, v1 }
  }
  const wrong = `v1=${'0'.repeat(64)}`
  return {
    'a header whose first `v1` is of another secret, as during a rotation': ({ event }) => {
      const { body, t, v1 } = parts(event)
      return { body, signature: `${t},${wrong},${v1}` }
    },
    'a header whose last `v1` is of another secret': ({ event }) => {
      const { body, t, v1 } = parts(event)
      return { body, signature: `${t},${v1},${wrong}` }
    },
    'a header with a `v0` and a `v2` beside its `v1`': ({ event }) => {
      const { body, t, v1 } = parts(event)
      return { body, signature: `${t},v0=${'a'.repeat(64)},${v1},v2=later` }
    },
  }
}

async function unknownTypes(bench: Bench) {
  const findings = []
  for (const type of ['payout.created', 'payment.disputed', 'checkout_session.reopened']) {
    const { filed } = await bench.told()
    const answer = await bench.deliver(filed(type, { status: 'open' }))
    if (!isTaken(answer))
      findings.push({ sent: `a ${type}, rightly signed`, expected: 'a 2xx', got: answer.says })
  }
  return findings
}

async function otherEnvironment(bench: Bench) {
  const story = await bench.begun()
  const livemode = !story.event.livemode
  const event = { ...story.filed(story.event.type, { livemode }), livemode }
  await bench.attempt(event)
  if (!(await bench.hasActed(story))) return []
  const sent = `an event with \`livemode\` ${livemode}, rightly signed`
  return [{ sent, expected: 'no effect', got: shown(await bench.effects(story)) }]
}
