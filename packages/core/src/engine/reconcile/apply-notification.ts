import { applyChargeState } from '../../payments/look-up-payment.ts'
import { parseProcessorKey } from '../../payments/processor-key.ts'
import type { Notification } from '../../ports/processor.ts'
import { applyRefundState } from '../../refunds/look-up-refund.ts'
import type { Services } from '../services.ts'
import { unitsOf } from '../unit-of-work/unit-of-work.ts'

/** Whether a notification is of a charge or refund of ours in this environment. Other systems may share the processor. */
export function isOurs({ key }: Notification, livemode: boolean): boolean {
  return parseProcessorKey(key)?.livemode === livemode
}

/** Moves the notification's payment or refund. Throws if that fails for now: a listener throws, or the store is unreachable. */
export async function applyNotification(services: Services, { key, ...told }: Notification): Promise<void> {
  const named = parseProcessorKey(key)
  if (named === undefined) return
  const { id, ...scope } = named
  const units = unitsOf(services, scope)
  const found =
    told.of === 'refund'
      ? await applyRefundState(units, id, { state: told.state, evidence: 'notification' })
      : await applyChargeState(units, id, { state: told.state, evidence: 'notification' })
  // As after a restore of the database: the processor may have moved money that is not recorded here.
  if (!found)
    services.logger.error('the processor has a charge or refund that the database lacks', {
      ...scope,
      id,
      of: told.of,
    })
}
