import type { Ids } from '../ports/ids.ts'
import type { Scope } from '../ports/store.ts'
import { modeOf } from '../schema/ids.ts'

/** `conn_<test|live>_<workspace>_<16 characters>`: 63 characters, as no id is longer than 64. */
export function newConnectionId({ workspace, livemode }: Scope, ids: Ids): string {
  return `conn_${modeOf(livemode)}_${workspace}_${ids.secret(16)}`
}

/** The scope that a connection id names; null for anything else. An id proves nothing: look the row up there. */
export function scopeOfConnection(id: string): Scope | null {
  const [, mode, workspace] = /^conn_(test|live)_([0-9a-f-]{36})_[0-9A-Za-z]{16}$/.exec(id) ?? []
  return workspace === undefined ? null : { workspace, livemode: mode === 'live' }
}
