export const current_ach_terms_version = '2026-01'

type Terms = (debit: { amount: number | null }) => string

/**
 * The authorization texts an account holder can accept, by version. A published text never changes: what was
 * accepted is kept with the session word for word.
 */
export const ach_terms: Record<string, Terms> & Record<typeof current_ach_terms_version, Terms> = {
  '2026-01': ({ amount }) =>
    amount === null
      ? 'I authorize the merchant to debit this bank account electronically for amounts I owe, on or after the dates they fall due, and, if necessary, to credit it to correct errors. This authorization stands until I revoke it by notifying the merchant in time to act on it.'
      : `I authorize the merchant to debit this bank account electronically once for USD ${(amount / 100).toFixed(2)}, on or after today, and, if necessary, to credit it to correct errors.`,
}
