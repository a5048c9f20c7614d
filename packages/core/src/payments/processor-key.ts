import type { Scope } from '../ports/store.ts'

/**
 * The processor's idempotency key of a payment or refund: derived from our own id, never from the client's
 * key. It also contains the workspace, so that the row of a notification is found without a search.
 */
export function processorKey(row: { workspace: string; id: string }): string {
  return `${row.workspace}.${row.id}`
}

/** The scope and id of the row that a processor's key names; undefined for a key that is not ours. */
export function parseProcessorKey(key: string): (Scope & { id: string }) | undefined {
  const [, workspace, id, mode] = /^([\w-]{1,64})\.([a-z]+_(test|live)_\w{1,64})$/.exec(key) ?? []
  if (workspace === undefined || id === undefined) return undefined
  return { workspace, livemode: mode === 'live', id }
}
