import type { Event } from '@quittance/core'
import type { Mistake } from './mistake.ts'
import { type Kept, right } from './shop-receiver.ts'

/** How receivers tell that an event came before, and what they do with those that come at once. */
export const mistakesWithDuplicates: Record<string, Mistake> = {
  'keeps no list of what it has seen': {
    steps: { note: () => true, act: countEvery },
    breaks: ['again', 'at_once', 'remembered', 'unsigned', 'ahead'],
  },
  'looks first and notes later': {
    steps: {
      async note(event, { seen }) {
        const is_new = !seen.has(event.id)
        await new Promise((resolve) => setImmediate(resolve))
        seen.add(event.id)
        return is_new
      },
      act: countEvery,
    },
    breaks: ['at_once', 'ahead'],
  },
  'remembers the last ten events': {
    steps: {
      note(event, { seen }) {
        const is_new = !seen.has(event.id)
        seen.add(event.id)
        for (const oldest of seen) if (seen.size > 10) seen.delete(oldest)
        return is_new
      },
      act: countEvery,
    },
    breaks: ['remembered', 'ahead'],
  },
  'tells duplicates by a header': {
    steps: {
      note(_event, { seen }, { headers }) {
        const id = headers.get('service-event-id') ?? ''
        const is_new = !seen.has(id)
        seen.add(id)
        return is_new
      },
      act: countEvery,
    },
    breaks: ['unsigned', 'ahead'],
  },
  'tells duplicates by the signature': {
    steps: {
      note(_event, { seen }, { headers }) {
        const signature = headers.get('service-signature') ?? ''
        const is_new = !seen.has(signature)
        seen.add(signature)
        return is_new
      },
      act: countEvery,
    },
    breaks: ['again', 'ahead'],
  },
  'writes back all that it had read': {
    steps: {
      async note(event, kept, request) {
        const { seen, payments } = kept
        if (!right.note(event, kept, request)) return false
        const read = new Map(payments)
        await new Promise((resolve) => setImmediate(resolve))
        right.act(event, { seen, payments: read })
        payments.clear()
        for (const [id, payment] of read) payments.set(id, payment)
        return false
      },
    },
    breaks: ['beside'],
  },
  'answers a duplicate with 409': {
    steps: {
      note(event, kept) {
        if (!right.note(event, kept, new Request('https://a.example.com'))) throw new Conflict()
        return true
      },
    },
    breaks: ['again', 'at_once', 'late', 'remembered', 'unsigned'],
  },
}

/** A parcel for each event that says so. */
function countEvery({ livemode, data: { object } }: Event, { payments }: Kept): void {
  if (livemode || object.status !== 'succeeded') return
  const { parcels } = payments.get(object.id) ?? { parcels: 0 }
  payments.set(object.id, { status: 'succeeded', parcels: parcels + 1 })
}

class Conflict extends Error {}
