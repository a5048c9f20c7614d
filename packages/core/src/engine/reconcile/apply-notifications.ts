import type { Notification, Processor } from '../../ports/processor.ts'
import { engineScope, type Tables } from '../../ports/tables.ts'
import { iso } from '../../schema/timestamps.ts'
import type { Services } from '../services.ts'
import { write } from '../unit-of-work/unit-of-work.ts'
import { type AlikeFailures, countAlike } from './alike-failures.ts'
import { applyNotification, isOurs } from './apply-notification.ts'
import { heldKeys, hold } from './held-notifications.ts'

/**
 * Applies what the processors have to tell of charges and refunds: settlements, returns, chargebacks, outcomes. Once the signal
 * is aborted, no further page is asked for.
 */
export async function applyNotifications(services: Services, signal?: AbortSignal): Promise<void> {
  const { sandbox, live } = services.processors
  const failures = countAlike(services.logger, {
    one: 'a notification could not be applied',
    more: 'more notifications could not be applied',
  })
  try {
    // Side by side: a sandbox that hangs must not keep live money waiting.
    await Promise.all([
      sandbox && applyAllOf(services, failures, { processor: sandbox, livemode: false, signal }),
      live && applyAllOf(services, failures, { processor: live, livemode: true, signal }),
    ])
  } finally {
    failures.end()
  }
}

/** Applies a processor's notifications from where the last pass stopped; a repeated one changes nothing. */
async function applyAllOf(
  services: Services,
  failures: AlikeFailures,
  {
    processor,
    livemode,
    signal,
  }: { processor: Processor; livemode: boolean; signal: AbortSignal | undefined },
): Promise<void> {
  const scope = engineScope(livemode)
  const id = 'processor'
  const seen = await services.store.read(scope, (rows) => rows.cursors.get(id))
  let after = seen?.value ?? null
  let told = new Set<string>()
  while (!signal?.aborted) {
    const { notifications, cursor } = await processor.notifications({ after, at: iso(services.clock.now()) })
    const ours = notifications.filter((notification) => isOurs(notification, livemode))
    await applyPage(services, failures, { livemode, notifications: ours })
    if (cursor === null || cursor === after) return
    after = cursor
    await remember(services, { ...scope, id, value: cursor })
    // The pass ends at a page without news, even if its cursor moved: a cursor made from the time always moves.
    const page = notifications.map(({ id, key, state }) => [id, key, state.kind].join(' '))
    if (page.every((one) => told.has(one))) return
    told = new Set(page)
  }
}

/** A notification that cannot be applied is held for later, with those of the same charge or refund that follow it. */
async function applyPage(
  services: Services,
  failures: AlikeFailures,
  { livemode, notifications }: { livemode: boolean; notifications: readonly Notification[] },
): Promise<void> {
  const scope = engineScope(livemode)
  const held = await heldKeys(services, scope, notifications)
  for (const notification of notifications) {
    const { key, of } = notification
    if (!held.has(key)) {
      try {
        await applyNotification(services, notification)
        continue
      } catch (fault) {
        failures.add({ id: key }, fault, { of })
        held.add(key)
      }
    }
    await hold(services, scope, notification)
  }
}

async function remember(services: Services, cursor: Tables['cursors']): Promise<void> {
  await write(services, cursor, async ({ tx }) => {
    if (!(await tx.cursors.insertNew(cursor))) await tx.cursors.update(cursor)
  })
}
