import { randomUUID } from 'node:crypto'
import type { Store } from '@quittance/core'
import type { Connections } from '../connections.ts'
import { Announcer } from './announcer.ts'
import { Listener } from './listener.ts'

interface Announcing {
  schema: string
  /** Whether to announce and listen at all. */
  notify: boolean
}

/** Announces deliveries to other processes with NOTIFY, and listens to theirs while anybody is to be woken. */
export function announcements(
  connections: Connections,
  { schema, notify }: Announcing,
): Pick<Store, 'announceDeliveries' | 'onDeliveriesElsewhere' | 'close'> {
  const self = randomUUID()
  const announcer = new Announcer(connections, `${self} ${schema}`)
  const wakers = new Set<() => void>()
  const listen = () =>
    new Listener({
      connection: () => connections.dedicatedClient(),
      concerns: (payload) => payload.endsWith(` ${schema}`) && !payload.startsWith(self),
      wake() {
        for (const wake of wakers) wake()
      },
    })
  let listener: Listener | undefined
  return {
    announceDeliveries() {
      if (notify) announcer.announce()
    },
    onDeliveriesElsewhere(wake) {
      // One entry per call, even if the same function is passed twice.
      const waker = () => wake()
      wakers.add(waker)
      if (notify) listener ??= listen()
      return () => {
        wakers.delete(waker)
        if (wakers.size > 0) return
        void listener?.close()
        listener = undefined
      }
    },
    async close() {
      await listener?.close()
      await announcer.close()
    },
  }
}
