import { day_ms, hour_ms, minute_ms } from './durations.ts'

/**
 * When bank debits settle: a fixed time after the charge, or on a banking calendar, where the batch closes at
 * `cutOff` ("HH:MM", UTC) on business days and settles at that time on the next one. Weekends and US federal
 * bank holidays are no business days, nor are the dates ("YYYY-MM-DD") of `holidays`.
 */
export type Settlement =
  | { delayMs: number }
  | { calendar: 'banking'; cutOff: string; holidays?: readonly string[] }

export interface Batch {
  /** From this instant on the batch has the charge, and it cannot be voided any more. */
  cut_off_ms: number
  settles_ms: number
}

/** The batch that a charge made at a time falls into. */
export function batches(settlement: Settlement): (at_ms: number) => Batch {
  if ('delayMs' in settlement) {
    const { delayMs: delay_ms } = settlement
    if (!(typeof delay_ms === 'number' && delay_ms >= 0))
      throw new TypeError('`settlement.delayMs` is a number, not negative.')
    return (at_ms) => ({ cut_off_ms: at_ms + delay_ms, settles_ms: at_ms + delay_ms })
  }
  const cut_off_ms = parseTimeOfDay(settlement.cutOff)
  const holidays = new Set(settlement.holidays)
  for (const day of holidays)
    if (!/^\d{4}-\d\d-\d\d$/.test(day))
      throw new TypeError(`\`settlement.holidays\` has "${day}", which is no date: "YYYY-MM-DD".`)
  return (at_ms) => {
    const today_ms = Math.floor(at_ms / day_ms) * day_ms
    // A charge at the very cut-off misses the batch.
    const first_ms = at_ms - today_ms < cut_off_ms ? today_ms : today_ms + day_ms
    const closes_ms = businessDay(first_ms, holidays)
    const settles_ms = businessDay(closes_ms + day_ms, holidays)
    return { cut_off_ms: closes_ms + cut_off_ms, settles_ms: settles_ms + cut_off_ms }
  }
}

/** The first business day that is not before the given midnight. */
function businessDay(midnight_ms: number, holidays: ReadonlySet<string>): number {
  for (let day = midnight_ms; ; day += day_ms) {
    const date = new Date(day)
    const weekend = date.getUTCDay() === 0 || date.getUTCDay() === 6
    if (!weekend && !isBankHoliday(date) && !holidays.has(date.toISOString().slice(0, 10))) return day
  }
}

const fixed_holidays = new Set(['1-1', '6-19', '7-4', '11-11', '12-25'])
/** "month-week": the third Monday of January and February, the first of September, the second of October. */
const monday_holidays = new Set(['1-3', '2-3', '9-1', '10-2'])

/** Federal Reserve rules: a holiday on a Sunday is kept on Monday, one on a Saturday is not kept at all. */
function isBankHoliday(date: Date): boolean {
  const month = date.getUTCMonth() + 1
  const day = date.getUTCDate()
  const weekday = date.getUTCDay()
  const week = Math.ceil(day / 7)
  if (fixed_holidays.has(`${month}-${day}`)) return true
  if (weekday === 4) return month === 11 && week === 4
  if (weekday !== 1) return false
  const yesterday = new Date(date.getTime() - day_ms)
  if (fixed_holidays.has(`${yesterday.getUTCMonth() + 1}-${yesterday.getUTCDate()}`)) return true
  return monday_holidays.has(`${month}-${week}`) || (month === 5 && day >= 25)
}

function parseTimeOfDay(text: string): number {
  const [, hours, minutes] = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(text) ?? []
  if (hours === undefined || minutes === undefined)
    throw new RangeError('settlement.cutOff is "HH:MM" in UTC.')
  return Number(hours) * hour_ms + Number(minutes) * minute_ms
}
