import { isBankToken } from '../builders/requests.ts'

const half_hour_ms = 30 * 60_000

export interface ModelSession {
  id: string
  /** What it was opened for; another token of the same kind may confirm it. */
  bank: boolean
  saved: boolean
  authorized: number | null
  opened_ms: number
  canceled: boolean
  token: string | null
  succeeded_ms: number
  used: boolean
}

export interface ModelMethod {
  id: string
  token: string
  /** Null on a saved method. */
  expires_ms: number | null
  authorized: number | null
  status: 'active' | 'consumed' | 'detached'
}

/** What a client of the API knows, and nothing of how the engine keeps it. */
export interface Model {
  sessions: ModelSession[]
  methods: ModelMethod[]
  payments: string[]
  endpoints: string[]
  /** The last request and answer under each Idempotency-Key. */
  keys: Map<string, { input: string; status: number; body: string }>
}

export function emptyModel(): Model {
  return { sessions: [], methods: [], payments: [], endpoints: [], keys: new Map() }
}

/** The code a confirm must answer; null where it succeeds. */
export function expectedConfirm(session: ModelSession, token: string, now_ms: number): string | null {
  if (isBankToken(token) !== session.bank) return 'parameter_invalid'
  if (session.token !== null) return session.token === token ? null : 'payment_method_session_inactive'
  if (session.canceled || now_ms >= session.opened_ms + half_hour_ms) return 'payment_method_session_inactive'
  return refused_confirms[token] ?? null
}

/** The code the use of a session must answer, by a payment or a payment method. */
export function expectedUse(session: ModelSession, now_ms: number): string | null {
  if (session.used) return 'payment_method_session_used'
  const usable = session.token !== null && now_ms <= session.succeeded_ms + half_hour_ms
  return usable ? null : 'payment_method_session_inactive'
}

/** The method that a session yields when it is used. */
export function methodOf(session: ModelSession, id: string): ModelMethod {
  const expires_ms = session.saved ? null : session.succeeded_ms + half_hour_ms
  const { authorized } = session
  return { id, token: session.token ?? '', expires_ms, authorized, status: 'active' }
}

/** The code a charge of a method must answer, and the status of the payment where there is one. */
export function expectedCharge(
  method: Omit<ModelMethod, 'id'>,
  amount: number,
  now_ms: number,
): { code: string | null; status: string | null } {
  if (!isUsable(method, now_ms)) return { code: 'payment_method_unusable', status: null }
  if (method.authorized !== null && method.authorized !== amount)
    return { code: 'parameter_invalid', status: null }
  if (isBankToken(method.token)) return { code: null, status: 'processing' }
  const status = card_outcomes[method.token] ?? 'succeeded'
  return { code: status === 'failed' ? 'card_declined' : null, status }
}

export function isUsable({ status, expires_ms }: Omit<ModelMethod, 'id'>, now_ms: number): boolean {
  return status === 'active' && (expires_ms === null || now_ms <= expires_ms)
}

/** Whether a charge with this token ever reaches the processor. */
export function reachesProcessor(token: string): boolean {
  return token !== 'tok_test_unreachable'
}

const refused_confirms: Readonly<Record<string, string>> = {
  tok_test_incorrect_cvc: 'card_verification_failed',
  tok_test_expired: 'card_expired',
  btok_test_verification_fails: 'bank_account_verification_failed',
}

const card_outcomes: Readonly<Record<string, string>> = {
  tok_test_declined: 'failed',
  tok_test_insufficient_funds: 'failed',
  tok_test_unreachable: 'failed',
  tok_test_unknown_approved: 'processing',
  tok_test_unknown_declined: 'processing',
  tok_test_unknown_forever: 'processing',
}
