import type { Event } from '@quittance/core'
import { verifySignature, verifyWebhook } from '@quittance/webhooks'
import type { Mistake } from './mistake.ts'
import { type Steps, secret } from './shop-receiver.ts'

/** What receivers make of the time of a delivery, or of an event. */
export const mistakesOfTime: Record<string, Mistake> = {
  'takes deliveries however old': {
    steps: { verify: within(Number.NEGATIVE_INFINITY, 300) },
    breaks: ['recorded', 'recorded_long'],
  },
  'goes by the newest of several times': { steps: { verify: byTheNewest }, breaks: ['renewed'] },
  'takes deliveries from the future': {
    steps: { verify: within(-300, Number.POSITIVE_INFINITY) },
    breaks: ['future', 'far_future'],
  },
  'lets clocks differ by a minute': { steps: { verify: within(-60, 60) }, breaks: ['clocks', 'clocks_too'] },
  'lets nobody be ahead': { steps: { verify: within(-300, 0) }, breaks: ['clocks_too'] },
  'refuses what was filed an hour ago': {
    steps: {
      verify(body, header) {
        const event = verifyWebhook(body, header, secret).unwrapOr(null)
        return event && Date.parse(event.created_at) > Date.now() - 3_600_000 ? event : null
      },
    },
    breaks: ['old'],
  },
  'takes an event for old that is as old as the last one': {
    steps: goingByTime((event, last) => event > last),
    breaks: ['instant'],
  },
  'takes an event for new that is as old as the last one': {
    steps: goingByTime((event, last) => event >= last),
    breaks: ['instant'],
  },
}

function within(least_seconds: number, most_seconds: number): Steps['verify'] {
  return (body, header) => {
    const t = verifySignature(body, header, secret, { toleranceSeconds: Number.POSITIVE_INFINITY })
    const ahead_seconds = t.unwrapOr(Number.NaN) - Date.now() / 1000
    if (!(ahead_seconds >= least_seconds && ahead_seconds <= most_seconds)) return null
    return verifyWebhook(body, header, secret, { toleranceSeconds: Number.POSITIVE_INFINITY }).unwrapOr(null)
  }
}

/** A signature may be right for another `t` than the one that is new. */
function byTheNewest(body: string | Uint8Array, header: string | null): Event | null {
  const entries = (header ?? '').split(',')
  const times = entries.filter((entry) => /^t=\d+$/.test(entry))
  const newest = Math.max(...times.map((t) => Number(t.slice(2))))
  if (!(Math.abs(newest - Date.now() / 1000) <= 300)) return null
  const others = entries.filter((entry) => !times.includes(entry))
  const headers = times.map((t) => [t, ...others].join(','))
  const verified = headers.map((one) =>
    verifyWebhook(body, one, secret, { toleranceSeconds: Number.POSITIVE_INFINITY }).unwrapOr(null),
  )
  return verified.find((event) => event !== null) ?? null
}

/** The state is what the event with the latest `created_at` says. */
function goingByTime(isNew: (event: string, last: string) => boolean): Partial<Steps> {
  const latest = new Map<string, string>()
  return {
    act({ created_at, livemode, data: { object } }, { payments }) {
      const { id } = object
      if (livemode || object.object !== 'payment' || !isNew(created_at, latest.get(id) ?? '')) return
      latest.set(id, created_at)
      payments.set(id, { status: String(object.status), parcels: 1 })
    },
  }
}
