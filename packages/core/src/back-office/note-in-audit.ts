import type { Unit } from '../kernel/operation.ts'

/** The actor of what the back office did, in the audit log. */
export const back_office = 'back office'

/** An entry of the audit log, in the unit of work that did it. */
export async function noteInAudit(
  { tx, scope, ids, now }: Unit,
  { action, target }: { action: string; target: string },
): Promise<void> {
  const id = ids.uuid(Date.parse(now))
  await tx.audit_entries.insert({ ...scope, id, actor: back_office, action, target, created_at: now })
}
