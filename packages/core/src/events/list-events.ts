import { query } from '../kernel/operation.ts'
import { page } from '../kernel/page.ts'
import { listOf, listQuery } from '../schema/list.ts'
import { event, eventType } from './event.ts'
import { showEvent } from './show-event.ts'

/** `GET /events`: every event of this environment, newest first, whether or not an endpoint got it. */
export const listEvents = query({
  access: { key: 'secret', scope: 'webhooks:read' },
  input: listQuery.extend({ type: eventType.optional() }),
  output: listOf(event),
  errors: ['parameter_invalid'],
  run({ rows }, { type, ...cursor }) {
    return page(rows.events, cursor, { where: { type }, show: showEvent })
  },
})
