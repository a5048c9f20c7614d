import type { Unit } from '../kernel/operation.ts'

/** The actor of what the back office did. */
export const back_office = 'back office'

/** The actor where the host names no user. */
export const host = 'host'

/** An entry of the audit log, in the unit of work that does it or that commits to it. None where no user acts. */
export async function noteInAudit(
  { tx, scope, ids, now }: Unit,
  { actor, action, target }: { actor: string | undefined; action: string; target: string },
): Promise<void> {
  if (actor === undefined) return
  const id = ids.uuid(Date.parse(now))
  await tx.audit_entries.insert({ ...scope, id, actor, action, target, created_at: now })
}
