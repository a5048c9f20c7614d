import {
  type Caller,
  type Clock,
  createEngine,
  type Engine,
  type EngineOptions,
  type Event,
  type Store,
  systemClock,
} from '@quittance/core'

import { simulatedProcessor } from '@quittance/processor-simulator'
import { onTestFinished } from 'vitest'
import { freshStore } from '../../core/test/stores/tested-store.ts'
import { type Dispatcher, type DispatcherOptions, startDispatcher } from '../src/index.ts'
import { type WebReceiver, webReceiver } from './web-receiver.ts'

export interface Service {
  engine: Engine
  store: Store
  clock: StandingClock
  caller: Caller
  logged: string[]
}

/** A time that stands still unless it is moved, so that schedules come out exact. Timers are real. */
export interface StandingClock extends Clock {
  pass(elapsed_ms: number): void
}

export function standingClock(start_ms = Date.now()): StandingClock {
  let now_ms = start_ms
  return {
    now: () => now_ms,
    real: () => now_ms,
    after: systemClock.after,
    pass(elapsed_ms) {
      now_ms += elapsed_ms
    },
  }
}

/** From now on timers of this length go off only when what it gives back is called: not when a machine takes long. */
export function holdTimers(clock: StandingClock, held_ms: number): () => void {
  const { after } = clock
  const held = new Set<() => void>()
  clock.after = (delay_ms, wake) => {
    if (delay_ms !== held_ms) return after(delay_ms, wake)
    held.add(wake)
    return () => held.delete(wake)
  }
  return () => {
    const due = [...held]
    held.clear()
    for (const wake of due) wake()
  }
}

/** An engine with one workspace. A second one on the same `store` is another process. */
export async function service(
  options: Partial<EngineOptions> & { clock?: StandingClock } = {},
): Promise<Service> {
  const { store = await freshStore(), clock = standingClock() } = options
  const logged: string[] = []
  const log = (message: string) => logged.push(message)
  const engine = createEngine({
    secret: 'the secret of a service under test',
    processors: { sandbox: simulatedProcessor() },
    publicUrl: 'https://pay.example.com',
    testHelpers: true,
    allowInsecureDestinations: true,
    logger: { info: log, warn: log, error: log },
    ...options,
    ...{ store, clock },
  })
  await engine.migrate()
  return { engine, store, clock, logged, caller: await newCaller(engine) }
}

export async function newCaller(engine: Engine): Promise<Caller> {
  const { id: workspace } = await engine.admin.workspaces.create({ name: 'Acme' })
  return engine.caller({ workspace, livemode: false })
}

/** Stopped after the test, before the receivers close. */
export function dispatching(
  { engine }: Pick<Service, 'engine'>,
  options: DispatcherOptions = {},
): Dispatcher {
  const dispatcher = startDispatcher(engine, options)
  onTestFinished(() => dispatcher.stop())
  return dispatcher
}

export async function register({ engine, caller }: Pick<Service, 'engine' | 'caller'>, url: string) {
  const created = await engine.webhook_endpoints.create(caller, { url, enabled_events: ['*'] })
  return created._unsafeUnwrap()
}

/** A service with one endpoint, and who receives there. */
export async function subscribed(answer?: WebReceiver['answer']) {
  const receiver = await webReceiver(answer)
  const made = await service()
  await register(made, receiver.url)
  return { made, receiver }
}

let payments = 0

/** Takes a card payment, which files one `payment.succeeded`; answers the payment's id. */
export async function pay({ engine, caller }: Pick<Service, 'engine' | 'caller'>): Promise<string> {
  const browser: Caller = { ...caller, key: 'publishable', scopes: ['payment_methods:tokenize'] }
  const session = (await engine.payment_method_sessions.create(caller, {}))._unsafeUnwrap().id
  const card = { card: { token: 'tok_test_visa' }, billing_details: { name: 'Zoë', postal_code: '10001' } }
  ;(await engine.payment_method_sessions.confirm(browser, { id: session, ...card }))._unsafeUnwrap()
  payments += 1
  const input = { amount: 1_000, currency: 'usd', payment_method_session: session } as const
  const paid = await engine.payments.create(caller, input, { idempotency_key: `payment-${payments}` })
  return paid._unsafeUnwrap().id
}

export async function payTimes(of: Pick<Service, 'engine' | 'caller'>, times: number): Promise<void> {
  for (let count = 0; count < times; count += 1) await pay(of)
}

/** The newest event. */
export async function lastEvent({ engine, caller }: Service): Promise<Event> {
  const [event] = (await engine.events.list(caller, { limit: 1 }))._unsafeUnwrap().data
  if (event === undefined) throw new Error('no event was filed')
  return event
}

/** An event's deliveries as `GET /events/{id}` shows them. */
export async function deliveriesOf({ engine, caller }: Service, id: string) {
  return (await engine.events.retrieve(caller, { id }))._unsafeUnwrap().deliveries
}

export async function statusOf({ engine, caller }: Service, id: string): Promise<string> {
  return (await engine.webhook_endpoints.retrieve(caller, { id }))._unsafeUnwrap().status
}

/** Moves the sandbox's clock ahead and lets all that falls due on the way happen. */
export async function advance({ engine, caller }: Service, seconds: number): Promise<void> {
  const moved = await engine.testHelpers?.advanceClock(caller, { seconds })
  if (!moved?.isOk()) throw new Error('the clock was not moved')
}
