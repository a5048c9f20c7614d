import { keyOf, type Moment, type Report } from './moment.ts'
import type { Rows } from './rows.ts'

type Method = Rows['payment_methods'][number]

/** M8 to M11: a method is charged only while it may be, and a session yields one. */
export function checkMethods({ rows, charges, clock_was_set }: Moment, report: Report): void {
  const sessions = new Map(rows.payment_method_sessions.map((session) => [session.id, session]))
  const made = rows.payment_methods.map(({ session }) => session)
  if (new Set(made).size !== made.length) report('M9', 'a session yielded two payment methods')

  for (const method of rows.payment_methods) {
    const session = sessions.get(method.session)
    if (session?.payment_method !== method.id) report('M9', `${method.session} does not name ${method.id}`)
    if (session?.status !== 'succeeded')
      report('M10', `${method.id} was made of a session that is ${session?.status}`)
    const charged = chargesOf(method, { rows, charges })
    checkCharged(method, charged, report)
    if (!clock_was_set) checkTimes(method, charged, report)
  }
}

function chargesOf(method: Method, { rows, charges }: Pick<Moment, 'rows' | 'charges'>) {
  const keys = new Set(rows.payments.filter(({ payment_method }) => payment_method === method.id).map(keyOf))
  return charges.filter(({ key }) => keys.has(key))
}

function checkCharged(method: Method, charged: Moment['charges'], report: Report): void {
  const { id, usage, status, terms_version, type } = method
  const keys = new Set(charged.map(({ key }) => key))
  if (usage === 'one_time' && keys.size > 1) report('M8', `${id} was charged for ${keys.size} payments`)
  if (
    usage === 'one_time' &&
    charged.length > 0 &&
    status !== 'consumed' &&
    method.charging_payment === null
  ) {
    report('M8', `${id} reached the processor and is ${status}`)
  }
  if (charged.length === 0) return
  if (status === 'expired') report('M8', `${id} was charged and is expired`)
  if (type === 'us_bank_account' && terms_version === null)
    report('M11', `${id} was debited without an accepted authorization`)
}

/** M8, M10: by the time of the charge, if nothing waits between a request and its charge. */
function checkTimes(
  { id, status, changed_at, expires_at }: Method,
  charged: Moment['charges'],
  report: Report,
): void {
  for (const { at } of charged) {
    if (status === 'detached' && at > changed_at) report('M8', `${id} was charged after it was detached`)
    if (expires_at !== null && at > expires_at)
      report('M10', `${id} was charged at ${at}, after ${expires_at}`)
  }
}
