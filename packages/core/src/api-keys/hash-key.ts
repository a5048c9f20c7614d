import { hash } from 'node:crypto'

/** SHA-256 of the whole key, in hex: all that is stored of it besides a few characters. */
export function hashKey(key: string): string {
  return hash('sha256', key)
}
