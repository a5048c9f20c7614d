import { existsSync, readFileSync } from 'node:fs'
import { verifySignature } from '@quittance/webhooks'
import type { Rows } from '../../packages/testing/src/invariants/rows.ts'
import type { EngineProcess } from './engine-process.ts'
import { type Home, receivedIn } from './home.ts'
import type { Received } from './receiver.ts'

/** M37: what is to be delivered was received, signed, with the event's own bytes, and at most once more per crash. */
export function checkDelivered(home: Home, rows: Rows, { clock, known }: EngineProcess): string[] {
  const file = receivedIn(home)
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : []
  const received = lines.map((line) => JSON.parse(line) as Received)
  const events = new Map(rows.events.map(({ id, body }) => [id, body]))
  const violations = received.flatMap(({ event, body, signature }) => {
    const now = clock.real() / 1000
    const signed = verifySignature(body, signature, `${known.secret}`, { now, toleranceSeconds: 86_400 })
    if (signed.isErr()) return [`M37: ${event} came with a signature that is wrong: ${signed.error}`]
    return events.get(event) === body ? [] : [`M32: ${event} came with other bytes than its own`]
  })
  for (const { event, status } of rows.deliveries) {
    const times = received.filter((one) => one.event === event).length
    const due = rows.deliveries.filter((one) => one.event === event).length
    if (status !== 'succeeded') violations.push(`M37: the delivery of ${event} is ${status}`)
    if (times < due || times > due + 1)
      violations.push(`M37: ${event} was received ${times} times, not ${due}`)
  }
  return violations
}
