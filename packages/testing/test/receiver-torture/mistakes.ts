import { createHmac } from 'node:crypto'
import type { Event } from '@quittance/core'
import type { Mistake } from './mistake.ts'
import { mistakesOfTime } from './mistakes-of-time.ts'
import { mistakesWithDuplicates } from './mistakes-with-duplicates.ts'
import { right, secret } from './shop-receiver.ts'

/** What receivers are seen to do in the wild. */
export const mistakes: Record<string, Mistake> = {
  ...mistakesOfTime,
  ...mistakesWithDuplicates,
  'verifies nothing': {
    steps: { verify: parsed },
    breaks: ['forged', 'unparsed', 'recorded', 'recorded_long', 'renewed', 'future', 'far_future', 'strange'],
  },
  'verifies what it has parsed and written again': {
    steps: { verify: (body, header) => right.verify(JSON.stringify(JSON.parse(text(body))), header) },
    breaks: ['bytes', 'strange'],
  },
  'decodes the body piece by piece': {
    steps: {
      async read(request) {
        let all = ''
        for await (const piece of request.body ?? []) all += new TextDecoder().decode(piece)
        return all
      },
    },
    breaks: ['bytes'],
  },
  'has a body limit of 60 KiB': {
    steps: { verify: (body, header) => (body.length > 61_440 ? null : right.verify(body, header)) },
    breaks: ['large'],
  },
  'takes every event for the newest': {
    steps: {
      act({ data: { object } }, { payments }) {
        payments.set(object.id, { status: String(object.status), parcels: 1 })
      },
    },
    breaks: ['order', 'came_back', 'environment'],
  },
  'goes by the type of the event': {
    steps: {
      act(event, kept) {
        const status = event.type.split('.')[1]
        right.act(inStatus(event, status), kept)
      },
    },
    breaks: ['status'],
  },
  'sends by the type of the event, and takes back by the status of its object': {
    steps: {
      act(event, kept) {
        if (event.type === 'payment.succeeded') right.act(inStatus(event, 'succeeded'), kept)
        right.act(event, kept)
      },
    },
    breaks: ['status'],
  },
  'sends as soon as a payment is processing': {
    steps: {
      act(event, kept) {
        const { status } = event.data.object
        right.act(inStatus(event, status === 'processing' ? 'succeeded' : status), kept)
      },
    },
    breaks: ['not_yet'],
  },
  'compares as many digits as it is given': {
    steps: {
      verify(body, header) {
        const [, given] = /v1=([0-9a-f]*)/.exec(header ?? '') ?? []
        const t = /t=(\d+)/.exec(header ?? '')?.[1] ?? ''
        const fresh = Math.abs(Number(t) - Date.now() / 1000) <= 300
        const is_right = given !== undefined && digest(secret, t, body).startsWith(given)
        return is_right && fresh ? parsed(body) : right.verify(body, header)
      },
    },
    breaks: ['unparsed'],
  },
  'falls back on an empty secret': {
    steps: {
      verify(body, header) {
        const t = /t=(\d+)/.exec(header ?? '')?.[1] ?? ''
        return header?.endsWith(digest('', t, body)) ? parsed(body) : right.verify(body, header)
      },
    },
    breaks: ['forged'],
  },
  'signs the body alone': {
    steps: {
      verify(body, header) {
        const over_body = createHmac('sha256', secret).update(body).digest('hex')
        return header?.endsWith(over_body) ? parsed(body) : right.verify(body, header)
      },
    },
    breaks: ['forged'],
  },
  'falls over a header that is broken': {
    steps: {
      verify(body, header) {
        if (header === null || !header.includes('v1=')) throw new Error('cannot read the header')
        return right.verify(body, header)
      },
    },
    breaks: ['forged', 'unparsed'],
  },
  'answers what it refuses with 200': {
    steps: { refuse: () => new Response(null, { status: 200 }) },
    breaks: ['forged', 'unparsed', 'strange', 'recorded', 'recorded_long', 'renewed', 'future', 'far_future'],
  },
  'answers a broken header with 500': {
    steps: {
      refuse: (_, header) => new Response(null, { status: header?.includes('v1=') ? 401 : 500 }),
    },
    breaks: ['forged', 'unparsed'],
  },
  'notes the event before it verifies it': {
    steps: (() => {
      const seen = new Set<string>()
      return {
        verify(body, header) {
          const { id } = parsed(body) ?? { id: '' }
          const verified = right.verify(body, header)
          if (verified === null) seen.add(id)
          return verified
        },
        note: (event, kept, request) => !seen.has(event.id) && right.note(event, kept, request),
      }
    })(),
    breaks: ['poisoned', 'strange'],
  },
  'knows one `v1`, the first': {
    steps: {
      verify: (body, header) => right.verify(body, header?.replace(/(v1=[^,]*),v1=.*/, '$1') ?? null),
    },
    breaks: ['schemes'],
  },
  'knows one `v1`, the last': {
    steps: {
      verify: (body, header) => right.verify(body, header?.replace(/v1=.*(v1=[^,]*)/, '$1') ?? null),
    },
    breaks: ['schemes'],
  },
  'trims the body before it verifies it': {
    steps: { verify: (body, header) => right.verify(text(body).trim(), header) },
    breaks: ['bytes'],
  },
  'knows a fixed list of fields': {
    steps: {
      verify: (body, header) => only(right.verify(body, header), (event) => !('api_version' in event)),
    },
    breaks: ['fields'],
  },
  'knows a fixed list of types': {
    steps: {
      verify: (body, header) =>
        only(right.verify(body, header), ({ type }) =>
          /^(payment\.(processing|succeeded|returned))$/.test(type),
        ),
    },
    breaks: ['types'],
  },
  'takes no notice of the environment': {
    steps: { act: (event, kept) => right.act({ ...event, livemode: false }, kept) },
    breaks: ['environment'],
  },
  'says what signature it expected': {
    steps: {
      refuse(body, header) {
        const t = /t=(\d+)/.exec(header ?? '')?.[1] ?? ''
        return new Response(`expected ${digest(secret, t, body)}`, { status: 400 })
      },
    },
    breaks: ['tells'],
  },
  'says its secret in a header': {
    steps: { refuse: () => new Response(null, { status: 400, headers: { 'x-debug': `secret=${secret}` } }) },
    breaks: ['tells'],
  },
}

function inStatus(event: Event, status: string | undefined): Event {
  return { ...event, data: { object: { ...event.data.object, status } } } as Event
}

function only(event: Event | null, fits: (event: Event) => boolean): Event | null {
  return event !== null && fits(event) ? event : null
}

function parsed(body: string | Uint8Array): Event | null {
  return JSON.parse(text(body)) as Event
}

function text(body: string | Uint8Array): string {
  return typeof body === 'string' ? body : new TextDecoder().decode(body)
}

function digest(key: string, t: string, body: string | Uint8Array): string {
  return createHmac('sha256', key).update(`${t}.`).update(body).digest('hex')
}
