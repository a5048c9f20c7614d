import type { Notification, NotificationPage } from '@quittance/core'

/** Every notification of the processor, in the order in which things happened. */
export interface NotificationLog {
  add(notification: Notification, at_ms: number): void
  /** At most 1,000 notifications: call again with the cursor until it stays the same. */
  after(cursor: string | null): NotificationPage
  /** The time of the first notification that the latest page did not reach. */
  nextUnreported(): number | null
}

const page_size = 1_000

export function notificationLog(): NotificationLog {
  const told: { notification: Notification; at_ms: number }[] = []
  let reported = 0
  return {
    add(notification, at_ms) {
      told.push({ notification, at_ms })
    },
    after(cursor) {
      const start = positionOf(cursor)
      const page = told.slice(start, start + page_size)
      reported = start + page.length
      const last = page.at(-1)
      return {
        notifications: page.map(({ notification }) => notification),
        cursor: last === undefined ? cursor : `${reported}:${last.notification.id}`,
      }
    },
    nextUnreported: () => told[reported]?.at_ms ?? null,
  }

  /** A cursor of another ledger, or of one that was lost, starts over: better twice than never. */
  function positionOf(cursor: string | null): number {
    if (cursor === null) return 0
    const position = Number(cursor.slice(0, cursor.indexOf(':')))
    const id = cursor.slice(cursor.indexOf(':') + 1)
    return told[position - 1]?.notification.id === id ? position : 0
  }
}
