import { applyChargeState } from '../../payments/look-up-payment.ts'
import { parseProcessorKey } from '../../payments/processor-key.ts'
import type { Notification, Processor } from '../../ports/processor.ts'
import type { Scope } from '../../ports/store.ts'
import { engineScope, type Tables } from '../../ports/tables.ts'
import { applyRefundState } from '../../refunds/look-up-refund.ts'
import { iso } from '../../schema/timestamps.ts'
import type { Services } from '../services.ts'
import { unitsOf, write } from '../unit-of-work/unit-of-work.ts'
import { type AlikeFailures, countAlike } from './alike-failures.ts'

/** Applies what the processors have to tell of charges and refunds: settlements, returns, chargebacks, outcomes. */
export async function applyNotifications(services: Services): Promise<void> {
  const { sandbox, live } = services.processors
  const failures = countAlike(services.logger, {
    one: 'a notification could not be applied',
    more: 'more notifications could not be applied',
  })
  try {
    if (sandbox) await applyAllOf(services, failures, { processor: sandbox, livemode: false })
    if (live) await applyAllOf(services, failures, { processor: live, livemode: true })
  } finally {
    failures.end()
  }
}

/**
 * Applies a processor's notifications from where the last pass stopped; a repeated one changes nothing. One that
 * cannot be applied holds up only those of the same charge or refund, but the cursor stays, so the next pass reads everything
 * since again.
 */
async function applyAllOf(
  services: Services,
  failures: AlikeFailures,
  { processor, livemode }: { processor: Processor; livemode: boolean },
): Promise<void> {
  const scope = engineScope(livemode)
  const id = 'processor'
  const seen = await services.store.read(scope, (rows) => rows.cursors.get(id))
  const held = new Set<string>()
  let after = seen?.value ?? null
  let told = new Set<string>()
  for (;;) {
    const { notifications, cursor } = await processor.notifications({ after, at: iso(services.clock.now()) })
    for (const notification of notifications) {
      const { key } = notification
      if (held.has(key) || !(await apply(services, failures, { livemode, notification }))) held.add(key)
    }
    if (cursor === null || cursor === after) return
    after = cursor
    if (held.size === 0) await remember(services, { ...scope, id, value: cursor })
    // The pass ends at a page that tells nothing new, even if its cursor moved: one made from the time always moves.
    const page = notifications.map(({ id, key, state }) => [id, key, state?.kind].join(' '))
    if (page.every((one) => told.has(one))) return
    told = new Set(page)
  }
}

/**
 * False if it could not be applied, because a listener threw or the store was away. A key that is not ours, or is of
 * the other environment, is ignored.
 */
async function apply(
  services: Services,
  failures: AlikeFailures,
  { livemode, notification }: { livemode: boolean; notification: Notification },
): Promise<boolean> {
  const { key, ...told } = notification
  const named = parseProcessorKey(key)
  if (named?.livemode !== livemode) return true
  const { id, ...scope } = named
  const units = unitsOf(services, scope)
  try {
    const applied =
      told.of === 'refund'
        ? await applyRefundState(units, id, told.state)
        : await applyChargeState(units, id, { state: told.state, evidence: 'notification' })
    if (!applied) await warnOfContradiction(services, scope, { id, told })
    return true
  } catch (fault) {
    failures.add({ of: told.of, id }, fault)
    return false
  }
}

/** Statuses of ours that are final, and states of the processor that they exclude: money is where we say it is not. */
const contradictions: Readonly<Record<string, readonly string[]>> = {
  'charge failed': ['approved', 'settled'],
  'charge canceled': ['approved', 'settled'],
  'refund failed': ['succeeded'],
  'refund succeeded': ['refused'],
}

/** A final status stays what it is. Somebody has to hear of it where the processor moved money all the same. */
async function warnOfContradiction(
  { store, logger }: Services,
  scope: Scope,
  { id, told }: { id: string; told: Pick<Notification, 'of' | 'state'> },
): Promise<void> {
  const table = told.of === 'refund' ? 'refunds' : 'payments'
  const row = await store.read(scope, async (rows) => rows[table].get(id))
  if (contradictions[`${told.of} ${row?.status}`]?.includes(told.state.kind))
    logger.error('the processor contradicts a final status', {
      ...scope,
      id,
      status: row?.status,
      processor: told.state.kind,
    })
}

async function remember(services: Services, cursor: Tables['cursors']): Promise<void> {
  await write(services, cursor, async ({ tx }) => {
    if (!(await tx.cursors.insertNew(cursor))) await tx.cursors.update(cursor)
  })
}
