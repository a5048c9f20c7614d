import { z } from 'zod'

/** ISO 8601 in UTC, always with milliseconds, so that comparing the strings compares the times. */
export const timestamp = z.iso.datetime({ precision: 3 })

export const second_ms = 1_000
export const minute_ms = 60 * second_ms
export const hour_ms = 60 * minute_ms
export const day_ms = 24 * hour_ms

/** Milliseconds since 1970 as a `timestamp`. */
export function iso(at_ms: number): string {
  if (at_ms !== rendered.at_ms) rendered = { at_ms, text: new Date(at_ms).toISOString() }
  return rendered.text
}

/** Caches the last result, because under load many calls fall into the same millisecond. */
let rendered = { at_ms: 0, text: '1970-01-01T00:00:00.000Z' }

/** `at` moved by `delta_ms`. */
export function shifted(at: string, delta_ms: number): string {
  return iso(Date.parse(at) + delta_ms)
}

/** The later of two times. Keeps a record's history in order when the clock jumps back. */
export function later(a: string, b: string): string {
  return a > b ? a : b
}

/** The earlier of two times. */
export function earlier(a: string, b: string): string {
  return a < b ? a : b
}
