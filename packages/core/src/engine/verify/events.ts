import type { EventRow } from '../../events/event.ts'
import { everyRow } from '../../kernel/page.ts'
import type { Reads } from '../../ports/store.ts'
import { inItsEnvironment } from './any-row.ts'
import { type Around, check } from './check.ts'
import type { Report } from './violation.ts'

export const events = check('events', [], inItsEnvironment, checkBody, checkSubject, checkDeliveries)

/** How far along a status is. */
const order: Readonly<Record<string, number>> = {
  open: 0,
  pending: 0,
  processing: 0,
  authorized: 0,
  succeeded: 1,
  failed: 1,
  complete: 1,
  expired: 1,
  canceled: 2,
  returned: 2,
}

/** M32, M33, M47: the body agrees with the row, and shows a status that is not behind the type. */
function checkBody(
  { id, type, subject, livemode, created_at, body }: EventRow,
  _: Around,
  report: Report,
): void {
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
  const status = type.replace(/^.*\./, '').replace('completed', 'complete')
  const announced = order[status]
  const shown = order[said.about.status ?? '']
  if (announced === undefined || shown === undefined) return
  if (shown < announced) report('M33', `shows ${said.about.status}, which is behind ${type}`)
  else if (shown === announced && announced > 0 && status !== said.about.status)
    report('M33', `shows ${said.about.status}, which is another end than ${type}`)
}

/** M30, M32: its subject exists, with the amount and currency that the body says. */
async function checkSubject({ subject, body }: EventRow, { rows }: Around, report: Report): Promise<void> {
  const about = await subjectOf(rows, subject)
  if (!about) {
    report('M30', `announces ${subject}, which is not there`)
    return
  }
  const said = parsed(body)?.about
  if (said && (said.amount !== about.amount || said.currency !== about.currency)) {
    report('M32', `says ${said.amount} ${said.currency}; ${subject} is of ${about.amount} ${about.currency}`)
  }
}

function subjectOf(rows: Reads, id: string): PromiseLike<Money | undefined> {
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

interface Money {
  amount: number
  currency: string
}

interface Said {
  id?: unknown
  type?: unknown
  created_at?: unknown
  livemode?: unknown
  object?: unknown
  /** The `object` of its `data`. */
  about: { object?: unknown; id?: unknown; livemode?: unknown; status?: string } & Partial<Money>
}

function parsed(body: string): Said | null {
  try {
    const { data, ...said } = JSON.parse(body) as Said & { data?: { object?: Said['about'] | null } }
    return data?.object ? { ...said, about: data.object } : null
  } catch {
    return null
  }
}
