import { hash } from 'node:crypto'

/** SHA-256 in hex of the whole key: all that is kept of it beside a few characters. */
export function hashKey(key: string): string {
  return hash('sha256', key)
}
