import { iso } from '@quittance/core'
import { accepted } from './requests.ts'
import type { Sandbox } from './sandbox.ts'

/** Registers an endpoint for every event. */
export async function registeredEndpoint({ engine, caller }: Sandbox) {
  const input = { url: 'https://receiver.example.com/hooks', enabled_events: ['*' as const] }
  return accepted(await engine.webhook_endpoints.create(caller, input))
}

/** Makes one attempt of every delivery that is due, all with the same outcome. Resolves to their ids. */
export async function attemptDue({ engine }: Sandbox, error: string | null): Promise<string[]> {
  const claimed = await engine.deliveries.claim(100)
  const at = iso(engine.clock.now())
  const response_status = error === null ? 200 : 503
  const attempt = { started_at: at, ended_at: at, response_status, error }
  await engine.deliveries.record(claimed.map((delivery) => ({ delivery, attempt })))
  return claimed.map(({ id }) => id)
}

/** Fails every delivery that falls due until none is pending any more. */
export function failUntilQuiet(sandbox: Sandbox): Promise<void> {
  return attemptUntilQuiet(sandbox, () => attemptDue(sandbox, 'http 503'))
}

/** Lets time pass to the next delivery that falls due, and has it attempted, until none is pending any more. */
export async function attemptUntilQuiet(
  { engine, clock }: Sandbox,
  attempt: () => Promise<unknown>,
): Promise<void> {
  for (
    let due = await engine.deliveries.nextDueAt();
    due !== null;
    due = await engine.deliveries.nextDueAt()
  ) {
    clock.advance(Math.max(0, Date.parse(due) - engine.clock.now()))
    await attempt()
  }
}
