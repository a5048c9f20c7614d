import type { TypedBankAccount, TypedCard } from '@quittance/core'
import { headerOf, type PageRequest } from '../message.ts'

export type TypedDetails =
  | { type: 'card'; card: TypedCard }
  | { type: 'us_bank_account'; account: TypedBankAccount }

/** Many times what a frame sends. */
const body_limit_bytes = 2_048

/** Reads what a frame posted, or returns the status for anything else. Nothing of a refused body is kept. */
export function readDetails(request: PageRequest): TypedDetails | 400 | 403 | 413 | 415 {
  const { body } = request
  const site = headerOf(request, 'sec-fetch-site')
  if (site !== undefined && site !== 'same-origin') return 403
  if (!/^application\/json *(;.*)?$/i.test(headerOf(request, 'content-type') ?? '')) return 415
  if ('refused' in body || body.length > body_limit_bytes) return 413
  return detailsOf(parse(body)) ?? 400
}

function detailsOf(fields: Record<string, unknown>): TypedDetails | null {
  const text = (name: string, form: RegExp) => {
    const value = fields[name]
    return typeof value === 'string' && form.test(value) ? value : null
  }
  if (fields.type === 'card') {
    const number = text('number', /^\d{12,19}$/)
    const cvc = text('cvc', /^\d{3,4}$/)
    const { exp_month, exp_year } = fields
    if (number === null || cvc === null || !within(exp_month, 1, 12) || !within(exp_year, 2000, 2099))
      return null
    return { type: 'card', card: { number, exp_month, exp_year, cvc } }
  }
  if (fields.type !== 'us_bank_account') return null
  const routing_number = text('routing_number', /^\d{9}$/)
  const account_number = text('account_number', /^\d{4,17}$/)
  if (routing_number === null || account_number === null) return null
  return { type: 'us_bank_account', account: { routing_number, account_number } }
}

function within(value: unknown, least: number, most: number): value is number {
  return Number.isInteger(value) && Number(value) >= least && Number(value) <= most
}

function parse(body: Uint8Array): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(Buffer.from(body).toString())
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch {
    return {}
  }
}
