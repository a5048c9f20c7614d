import { day_ms, hour_ms, minute_ms, second_ms, shifted } from '../schema/timestamps.ts'

/**
 * When to ask the processor next about a charge or refund that stayed open: after 60 s, then 5 times every
 * 5 min, then hourly for a day, then daily.
 */
export function nextLookupAt(lookups: number, from: string): string {
  if (lookups === 0) return shifted(from, 60 * second_ms)
  if (lookups <= 5) return shifted(from, 5 * minute_ms)
  if (lookups <= 5 + 24) return shifted(from, hour_ms)
  return shifted(from, day_ms)
}
