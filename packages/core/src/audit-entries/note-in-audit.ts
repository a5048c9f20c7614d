import type { Unit } from '../kernel/operation.ts'

/** The actor recorded for what the back office does. */
export const back_office = 'back office'

/** The actor recorded when the host names no user. */
export const host = 'host'

/** Writes an audit entry in the unit of work of the action, or in the one before its call. None if no user acts. */
export async function noteInAudit(
  { tx, scope, ids, now }: Unit,
  { actor, action, target }: { actor: string | undefined; action: string; target: string },
): Promise<void> {
  if (actor === undefined) return
  const id = ids.uuid(Date.parse(now))
  await tx.audit_entries.insert({ ...scope, id, actor, action, target, created_at: now })
}
