import { err, ok, type PagePayment, type Result } from '@quittance/core'
import { headerOf, type PageRequest } from './message.ts'
import type { TextName } from './texts/en.ts'

/** What a payer sent, as far as it can be a payment. */
export type PayerForm = Omit<PagePayment, 'ip_address' | 'user_agent'>

/** Why a form was not taken, and what the payer is told of it. */
export interface FormRefused {
  status: 400 | 413 | 415
  text: TextName
}

/** Many times what our own form can hold. */
const form_limit_bytes = 16_384

/** Reads a posted form. A refusal never repeats what was typed. */
export function readForm(request: PageRequest): Result<PayerForm, FormRefused> {
  const { body } = request
  if ('refused' in body || body.length > form_limit_bytes) return refuse(413, 'form_too_large')
  if (!/^application\/x-www-form-urlencoded *(;.*)?$/i.test(headerOf(request, 'content-type') ?? ''))
    return refuse(415, 'form_unknown')
  const fields = readFields(Buffer.from(body).toString())
  if (fields === null) return refuse(400, 'form_unknown')
  const { method: type, key = '', amount = '', token = '', name = '', postal_code = '' } = fields
  if (type !== 'card' && type !== 'us_bank_account') return refuse(400, 'choose_how_to_pay')
  if (!/^[0-9A-Za-z]{24}$/.test(key) || !/^[1-9]\d{0,9}$/.test(amount)) return refuse(400, 'form_unknown')
  if (token === '' || name === '' || postal_code === '') return refuse(400, 'fill_in_everything')
  const { terms_version = '' } = fields
  const ach_authorization = { accepted: fields.accepted === 'yes', terms_version }
  return ok({
    type,
    token,
    idempotency_key: key,
    amount: Number(amount),
    billing_details: { name, postal_code },
    ...(type === 'us_bank_account' ? { ach_authorization } : {}),
  })
}

/** Trimmed; null where a field comes twice or holds what no text field of a browser sends. */
function readFields(text: string): Record<string, string> | null {
  const fields: Record<string, string> = Object.create(null)
  for (const [name, value] of pairsOf(text)) {
    if (name in fields || typeof value !== 'string' || hasControls(value)) return null
    fields[name] = value.trim()
  }
  return fields
}

/** A host's body parser may have read the form before us: what it made of it arrives written as JSON. */
function pairsOf(text: string): Iterable<[string, unknown]> {
  if (!text.startsWith('{')) return new URLSearchParams(text)
  try {
    return Object.entries(JSON.parse(text) as object)
  } catch {
    return [['', null]]
  }
}

function hasControls(value: string): boolean {
  return /\p{Cc}/u.test(value)
}

function refuse(status: FormRefused['status'], text: TextName): Result<never, FormRefused> {
  return err({ status, text })
}
