import type { HeldNotificationRow } from '../../held-notifications/held-notification.ts'
import { canonicalJson } from '../../kernel/canonical-json.ts'
import type { Unit } from '../../kernel/operation.ts'
import type { Notification } from '../../ports/processor.ts'
import type { Scope } from '../../ports/store.ts'
import { hour_ms, second_ms, shifted } from '../../schema/timestamps.ts'
import type { Services } from '../services.ts'
import { write } from '../unit-of-work/unit-of-work.ts'
import { applyNotification } from './apply-notification.ts'

/** Those of these notifications' keys under which earlier notifications are held. `scope`: the engine's. */
export async function heldKeys(
  { store }: Services,
  scope: Scope,
  notifications: readonly Notification[],
): Promise<Set<string>> {
  if (notifications.length === 0) return new Set()
  const keys = [...new Set(notifications.map(({ key }) => key))]
  const held = await store.read(scope, (rows) =>
    Promise.all(keys.map((key) => rows.held_notifications.get(key))),
  )
  return new Set(held.flatMap((row) => (row ? [row.id] : [])))
}

/** Keeps a notification behind those held of the same charge or refund, once, however often it comes. */
export function hold(services: Services, scope: Scope, notification: Notification): Promise<void> {
  return write(services, scope, async ({ tx, now }) => {
    const id = notification.key
    const held = await tx.held_notifications.lock(id)
    if (held?.notifications.some(sameAs(notification))) return
    if (held)
      await tx.held_notifications.update({ ...held, notifications: [...held.notifications, notification] })
    else
      await tx.held_notifications.insert({
        ...scope,
        id,
        notifications: [notification],
        tries: 0,
        due_at: triedAgainAt(0, now),
      })
  })
}

/** Applies what is held of one charge or refund, if it is due; throws at the first one that still cannot be applied. */
export async function retryHeld(services: Services, scope: Scope, id: string): Promise<void> {
  const held = await write(services, scope, (unit) => postpone(unit, id))
  for (const notification of held?.notifications ?? []) {
    await applyNotification(services, notification)
    await write(services, scope, (unit) => release(unit, id, notification))
  }
}

/** Counts the try before it is made, also for a process that dies in it. Null if the row is not due. */
async function postpone({ tx, now }: Unit, id: string): Promise<HeldNotificationRow | null> {
  const held = await tx.held_notifications.lock(id)
  if (!held || held.due_at === null || held.due_at > now) return null
  const tries = held.tries + 1
  const next = { ...held, tries, due_at: triedAgainAt(tries, now) }
  await tx.held_notifications.update(next)
  return next
}

async function release({ tx }: Unit, id: string, applied: Notification): Promise<void> {
  const held = await tx.held_notifications.lock(id)
  if (!held) return
  const isApplied = sameAs(applied)
  const notifications = held.notifications.filter((one) => !isApplied(one))
  if (notifications.length === 0) await tx.held_notifications.delete(id)
  else await tx.held_notifications.update({ ...held, notifications })
}

function sameAs(notification: Notification): (other: Notification) => boolean {
  const text = canonicalJson(notification)
  return (other) => canonicalJson(other) === text
}

/** After a second, then after twice as long each time, up to an hour. */
function triedAgainAt(tries: number, now: string): string {
  return shifted(now, Math.min(second_ms * 2 ** tries, hour_ms))
}
