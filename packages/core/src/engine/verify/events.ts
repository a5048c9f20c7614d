import type { CheckoutSessionRow } from '../../checkout-sessions/checkout-session.ts'
import { type EventRow, eventType } from '../../events/event.ts'
import { everyRow } from '../../kernel/page.ts'
import type { PaymentRow } from '../../payments/payment.ts'
import type { Reads } from '../../ports/store.ts'
import type { RefundRow } from '../../refunds/refund.ts'
import { inItsEnvironment } from './any-row.ts'
import { type Around, check } from './check.ts'
import type { Report } from './violation.ts'

export const events = check('events', [], inItsEnvironment, checkBody, checkSubject, checkDeliveries)

/** M30, M32, M33, M47: there is such an event; the body agrees with the row, and shows the status that its type says. */
function checkBody(
  { id, type, subject, livemode, created_at, body }: EventRow,
  _: Around,
  report: Report,
): void {
  if (!eventType.safeParse(type).success) report('M30', `is of a type that there is not: ${type}`)
  const said = parsed(body)
  if (said === null) {
    report('M32', 'its body is no event')
    return
  }
  const kind = type.replace(/\..*$/, '')
  if (said.object !== 'event' || said.about.object !== kind)
    report('M32', `its body is of another kind than ${type}`)
  if (said.id !== id || said.type !== type || said.about.id !== subject)
    report('M32', 'its body is about something else')
  if (said.created_at !== created_at) report('M32', `is of ${created_at}; its body says ${said.created_at}`)
  if (said.livemode !== livemode || said.about.livemode !== livemode)
    report('M47', 'its body is of the other environment')
  const stamp = stampOf(type)
  const dated = said.about[stamp]
  if (dated !== undefined && dated !== created_at)
    report('M32', `is of ${created_at}; ${stamp} in its body is ${dated}`)
  if (said.about.status !== type.replace(/^.*\./, '').replace('completed', 'complete'))
    report('M33', `of the type ${type} shows ${said.about.status}`)
}

/** The column with the time of what an event announces; for some types there is none. */
function stampOf(type: string): string {
  return `${type.replace(/^.*\./, '')}_at`
}

/** The fields of an object that never change. */
const kept = [
  'created_at',
  'reference',
  'customer',
  'payment',
  'payment_method',
  'checkout_session',
  'invoice',
]

/** M30, M32: its subject exists, was what the body says, and was so at this time. */
async function checkSubject(
  { type, subject, created_at, body }: EventRow,
  { rows }: Around,
  report: Report,
): Promise<void> {
  const about = await subjectOf(rows, subject)
  if (!about) {
    report('M30', `announces ${subject}, which is not there`, subject)
    return
  }
  const said = parsed(body)?.about
  if (said && (said.amount !== about.amount || said.currency !== about.currency)) {
    report('M32', `says ${said.amount} ${said.currency}; ${subject} is of ${about.amount} ${about.currency}`)
  }
  for (const field of kept) {
    // An old event may lack fields that its object has been given since.
    if (said && field in said && field in about && said[field] !== about[field])
      report('M32', `says that ${field} is ${said[field]}; of ${subject} it is ${about[field]}`)
  }
  const stamp = stampOf(type)
  if (about[stamp] != null && about[stamp] !== created_at)
    report('M32', `is of ${created_at}; ${stamp} of ${subject} is ${about[stamp]}`)
  else if (created_at < about.created_at || created_at > about.changed_at)
    report(
      'M32',
      `is of ${created_at}; ${subject} was made at ${about.created_at} and changed last at ${about.changed_at}`,
    )
}

function subjectOf(rows: Reads, id: string): PromiseLike<Subject | undefined> {
  if (id.startsWith('pay_')) return rows.payments.get(id)
  return id.startsWith('re_') ? rows.refunds.get(id) : rows.checkout_sessions.get(id)
}

/** M34, M40: emitted to each endpoint once, with at most one delivery pending there. */
async function checkDeliveries({ id }: EventRow, { rows }: Around, report: Report): Promise<void> {
  const emitted = new Set<string>()
  const pending = new Set<string>()
  for await (const { endpoint, origin, status } of everyRow(rows.deliveries, { event: id })) {
    if (origin === 'emit' && emitted.has(endpoint)) report('M34', `was emitted twice to ${endpoint}`)
    if (status === 'pending' && pending.has(endpoint)) report('M40', `is on its way to ${endpoint} twice`)
    if (origin === 'emit') emitted.add(endpoint)
    if (status === 'pending') pending.add(endpoint)
  }
}

type Subject = (PaymentRow | RefundRow | CheckoutSessionRow) & { readonly [column: string]: unknown }

interface Said {
  id?: unknown
  type?: unknown
  created_at?: unknown
  livemode?: unknown
  object?: unknown
  /** The `object` of its `data`. */
  about: { readonly [field: string]: unknown }
}

function parsed(body: string): Said | null {
  try {
    const { data, ...said } = JSON.parse(body) as Said & { data?: { object?: Said['about'] | null } }
    return data?.object instanceof Object ? { ...said, about: data.object } : null
  } catch {
    return null
  }
}
