import { err, ok, type PagePayment, type Result } from '@quittance/core'
import { headerOf, type PageRequest } from './message.ts'
import type { Showing } from './payment-form.ts'
import type { TextName } from './texts/en.ts'

/** What a payer sent, if it can be a payment. */
export type PayerForm = Omit<PagePayment, 'ip_address' | 'user_agent'>

/** Why a form was refused: what the payer is told, and what they need not type again. */
interface FormRefused {
  status: 400 | 413 | 415
  refused: TextName
  typed: Showing['typed']
}

/** Many times what our own form can hold. */
const form_limit_bytes = 16_384

/** Reads a posted form. A refusal keeps a name and a postal code for the payer, and never what may be a number. */
export function readForm(request: PageRequest): Result<PayerForm, FormRefused> {
  const { body } = request
  if ('refused' in body || body.length > form_limit_bytes) return refuse(413, 'form_too_large')
  if (!/^application\/x-www-form-urlencoded *(;.*)?$/i.test(headerOf(request, 'content-type') ?? ''))
    return refuse(415, 'form_unknown')
  const fields = readFields(Buffer.from(body).toString())
  if (fields === null) return refuse(400, 'form_unknown')
  const { method: type = '', key = '', amount = '', token = '', name = '', postal_code = '' } = fields
  const billing_details = { name, postal_code }
  const typed = typedIn({ type, billing_details })
  if (type !== 'card' && type !== 'us_bank_account') return refuse(400, 'choose_how_to_pay', typed)
  if (!/^[0-9A-Za-z]{24}$/.test(key) || !/^[1-9]\d{0,9}$/.test(amount))
    return refuse(400, 'form_unknown', typed)
  if (token === '') return refuse(400, 'details_missing', typed)
  if (name === '') return refuse(400, 'name_missing', typed)
  if (postal_code === '') return refuse(400, 'postal_code_missing', typed)
  const { terms_version = '' } = fields
  const ach_authorization = { accepted: fields.accepted === 'yes', terms_version }
  return ok({
    type,
    token,
    idempotency_key: key,
    amount: Number(amount),
    billing_details,
    ...(type === 'us_bank_account' ? { ach_authorization } : {}),
  })
}

/** What is filled in again for a payer who has to send another form. */
export function typedIn({
  type,
  billing_details: { name, postal_code },
}: Pick<PayerForm, 'billing_details'> & { type: string }): NonNullable<Showing['typed']> {
  return { type, billing_details: { name: unlessNumber(name), postal_code: unlessNumber(postal_code) } }
}

/** Trimmed, with spaces for tabs; null if a field comes twice or holds what no text field of a browser sends. */
function readFields(text: string): Record<string, string> | null {
  const fields: Record<string, string> = Object.create(null)
  for (const [name, value] of pairsOf(text)) {
    const plain = typeof value === 'string' ? value.replaceAll('\t', ' ') : null
    if (name in fields || plain === null || hasControls(plain)) return null
    fields[name] = plain.trim()
  }
  return fields
}

/** A host's body parser may have read the form before us: its result then arrives as JSON. */
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

/** A card number has 12 digits or more, of whatever script: what may be one is not sent back. */
function unlessNumber(text: string): string {
  return text.replace(/\P{Nd}/gu, '').length < 12 ? text : ''
}

function refuse(
  status: FormRefused['status'],
  refused: TextName,
  typed: FormRefused['typed'] = null,
): Result<never, FormRefused> {
  return err({ status, refused, typed })
}
