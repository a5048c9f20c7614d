import { isBankToken } from '../builders/requests.ts'
import { type Coming, foreseenConfirm, type PaymentStatus, type RefundStatus } from './tokens.ts'

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

export interface ModelPayment {
  id: string
  token: string
  bank: boolean
  amount: number
  made_ms: number
  page: ModelPage | null
  invoice: ModelInvoice | null
  /** Of an invoice's page: the API neither shows nor announces it. */
  hidden: boolean
  status: PaymentStatus
  coming: Coming<PaymentStatus>[]
  /** Whether the processor has told its outcome, having given no answer at first. */
  told: boolean
  announced: string[]
}

export interface ModelRefund {
  id: string
  payment: ModelPayment
  amount: number
  status: RefundStatus
  coming: Coming<RefundStatus>[]
  announced: string[]
}

/** A checkout session. */
export interface ModelPage {
  id: string
  amount: number
  expires_ms: number
  status: 'open' | 'complete' | 'expired'
  payment: ModelPayment | null
  /** The payment in flight on it. */
  paying: ModelPayment | null
  announced: string[]
}

export interface ModelInvoice {
  id: string
  total: number
  written_off: number
  status: 'draft' | 'open' | 'paid' | 'canceled'
}

export interface ModelEndpoint {
  id: string
  status: 'enabled' | 'disabled'
  /** Since when it has had no 2xx, and nobody edited or resumed it. */
  quiet_ms: number
}

export interface ModelDelivery {
  id: string
  endpoint: string
  created_ms: number
  status: 'pending' | 'succeeded' | 'exhausted' | 'canceled'
  attempts: number
  next_ms: number
}

/** What a client of the API knows, without anything of the engine's own storage. */
export interface Model {
  sessions: ModelSession[]
  methods: ModelMethod[]
  payments: ModelPayment[]
  refunds: ModelRefund[]
  pages: ModelPage[]
  invoices: ModelInvoice[]
  endpoints: ModelEndpoint[]
  deliveries: ModelDelivery[]
  /** The last request and response under each Idempotency-Key. */
  keys: Map<string, { input: string; status: number; body: string }>
  /** When the engine last did all that was due. */
  reconciled_ms: number
}

export function emptyModel(): Model {
  return {
    sessions: [],
    methods: [],
    payments: [],
    refunds: [],
    pages: [],
    invoices: [],
    endpoints: [],
    deliveries: [],
    keys: new Map(),
    reconciled_ms: 0,
  }
}

/** The code with which a confirm must be refused; null if it must succeed. */
export function expectedConfirm(session: ModelSession, token: string, now_ms: number): string | null {
  if (isBankToken(token) !== session.bank) return 'parameter_invalid'
  if (session.token !== null) return session.token === token ? null : 'payment_method_session_inactive'
  if (session.canceled || isOver(session, now_ms)) return 'payment_method_session_inactive'
  return foreseenConfirm(token)
}

/** Whether its time to be confirmed is over. */
export function isOver({ opened_ms }: ModelSession, now_ms: number): boolean {
  return now_ms >= opened_ms + half_hour_ms
}

/** The code with which a payment or payment method must be refused a session; null if it must get it. */
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

/** The code with which a charge is refused before the processor is called; null if it is called. */
export function expectedCharge(method: ModelMethod, amount: number, now_ms: number): string | null {
  if (!isUsable(method, now_ms)) return 'payment_method_unusable'
  return method.authorized === null || method.authorized === amount ? null : 'parameter_invalid'
}

export function isUsable({ status, expires_ms }: ModelMethod, now_ms: number): boolean {
  return status === 'active' && (expires_ms === null || now_ms <= expires_ms)
}
