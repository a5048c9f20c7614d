/** `$1,234.50 USD`: the narrow symbol beside the code, because two currencies share it. */
export function money(amount: number, currency: string): string {
  const format = new Intl.NumberFormat('en-US', {
    style: 'currency',
    currency,
    currencyDisplay: 'narrowSymbol',
  })
  const digits = format.resolvedOptions().maximumFractionDigits ?? 2
  return `${format.format(amount / 10 ** digits)} ${currency}`
}

/** `January 31, 2026`, from `2026-01-31`. */
export function day(date: string): string {
  const format = new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeZone: 'UTC' })
  return format.format(new Date(`${date}T00:00:00.000Z`))
}
