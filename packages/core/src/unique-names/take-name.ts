import { hash } from 'node:crypto'
import type { Unit } from '../kernel/operation.ts'

/** Takes a name for a record; false, and nothing written, if a record of any workspace has it. */
export function takeName(
  { tx, scope }: Unit,
  { kind, name, owner }: { kind: string; name: string; owner: string },
): PromiseLike<boolean> {
  return tx.unique_names.insertNew({
    ...scope,
    id: `${kind} ${owner}`,
    hash: hash('sha256', `${kind}\n${name}`),
  })
}
