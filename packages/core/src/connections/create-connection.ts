import type { Unit } from '../kernel/operation.ts'
import type { LedgerConnection } from '../ports/connector.ts'
import type { ConnectionRow } from './connection.ts'
import { newConnectionId } from './connection-id.ts'

/** A new connection in the unit's workspace and environment. Its token is stored encrypted only. */
export async function createConnection(
  { tx, scope, ids, secrets, now }: Unit,
  { kind, base_url, site_id, token }: LedgerConnection & { kind: string },
): Promise<ConnectionRow> {
  const row: ConnectionRow = {
    ...scope,
    id: newConnectionId(scope, ids),
    kind,
    base_url,
    site_id,
    encrypted_token: secrets.encrypt(token),
    created_at: now,
  }
  await tx.connections.insert(row)
  return row
}
