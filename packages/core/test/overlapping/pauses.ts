import { attemptDue, failUntilQuiet } from '../../../testing/src/builders/deliveries.ts'
import { accepted, pay } from '../../../testing/src/builders/requests.ts'
import type { Sandbox } from '../../../testing/src/builders/sandbox.ts'
import type { Rows } from '../../../testing/src/invariants/rows.ts'
import { ok } from '../../src/kernel/result.ts'
import { day_ms } from '../../src/schema/timestamps.ts'
import type { Answered } from './answers.ts'
import { disable, edit, enable, remove, resend } from './endpoints.ts'
import { filing, reconcile } from './money.ts'
import type { Receiver } from './receiver.ts'
import { called, type Draw, type World } from './world.ts'

/** Until the first retry. */
const minute_ms = 60_000

/**
 * One or two endpoints that have failed for three days, but for a moment: a delivery ran its whole schedule, and the
 * retry of another one is due just when the pause is.
 */
export async function failForDays(world: World): Promise<void> {
  const { sandbox, random } = world
  const { clock } = sandbox
  for (let more = random.below(2); more >= 0; more -= 1) await world.one('endpoint')
  const since_ms = clock.now()
  accepted(await pay(sandbox, 'tok_test_visa'))
  await failUntilQuiet(sandbox)
  clock.advance(since_ms + 3 * day_ms - minute_ms - 2 - clock.now())
  accepted(await pay(sandbox, 'tok_test_visa'))
  await attemptDue(sandbox, 'http 503')
  clock.advance(minute_ms + random.below(3) - 1)
}

/** While the others run the three days are over, where they were not before. */
const days_end: Draw = async () =>
  called(
    'three days end',
    async ({ clock, engine }: Sandbox) => {
      clock.jump(2)
      return ok(await engine.reconcile())
    },
    { sets_clock: true },
  )

export const of_pauses: readonly Draw[] = [
  days_end,
  days_end,
  reconcile,
  edit,
  disable,
  enable,
  enable,
  remove,
  resend,
  ...filing,
]

/** M39: who failed for three days is paused, and told of once; who was edited, resumed or disabled meanwhile is not. */
export function brokenPauses(answers: readonly Answered[], { pauses }: Receiver, after: Rows): string[] {
  return after.webhook_endpoints.flatMap(({ id, status }) => {
    const told = pauses.filter(({ endpoint }) => endpoint === id).length
    const of_it = answers.filter(
      ({ request, outcome }) => outcome?.code === null && request.about.includes(id),
    )
    const silenced = of_it.some(({ request }) => request.silences === id)
    const woken = of_it.some(({ request }) => request.wakes === id)
    const shown = of_it.flatMap(({ outcome }) =>
      outcome?.body.includes('"object":"webhook_endpoint"') ? [outcome.body] : [],
    )
    const lived = shown.some((body) => body.includes('"status":"enabled"'))
    const disabled = status === 'disabled' && !silenced
    if (told > 1) return [`${id} was paused ${told} times`]
    if (disabled && told === 0) return [`${id} is disabled, and nobody was told`]
    if (disabled && lived) return [`${id} was paused after it was edited`]
    return told === 1 && !woken && status === 'enabled' ? [`${id} was paused and is enabled`] : []
  })
}

/** What reconciling has left to be paused. */
export function overdue(now_ms: number, { webhook_endpoints, deliveries }: Rows): string[] {
  const long_ago = new Date(now_ms - 3 * day_ms).toISOString()
  const due = webhook_endpoints.filter(
    ({ id, status, quiet_since, last_failure_at }) =>
      status === 'enabled' &&
      quiet_since <= long_ago &&
      (last_failure_at ?? '') > long_ago &&
      deliveries.some(
        (one) => one.endpoint === id && one.status === 'exhausted' && one.created_at <= long_ago,
      ),
  )
  return due.map(({ id }) => `${id} has failed for three days and is not paused`)
}
