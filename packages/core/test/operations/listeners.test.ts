import { AsyncLocalStorage } from 'node:async_hooks'
import { expect, it, vi } from 'vitest'
import {
  accepted,
  confirmedSession,
  freshKey,
  pay,
  shownPayment,
} from '../../../testing/src/builders/requests.ts'
import { advance, openCheckout, shownCheckout } from '../../../testing/src/builders/sales.ts'
import { openSandbox, type Sandbox, sandboxIn } from '../../../testing/src/builders/sandbox.ts'
import { refusal } from './refusals.ts'

/** Throws the first time it is called. */
const onFireOnce = () =>
  vi
    .fn(() => {})
    .mockImplementationOnce(() => {
      throw new Error('the listener is on fire')
    })

it('a listener that throws undoes what it was told of, and is told again; nothing is charged twice', async () => {
  const told: string[] = []
  const sandbox = await openSandbox({
    on: {
      'payment.succeeded': ({ id }) => {
        told.push(id)
        if (told.length === 1) throw new Error('the listener is on fire')
      },
    },
  })
  const { engine, caller } = sandbox
  const { id: payment_method_session } = await confirmedSession(sandbox, 'tok_test_visa')
  const input = { amount: 1000, currency: 'USD' as const, payment_method_session }
  const create = () => engine.payments.create(caller, input, { idempotency_key: 'once' })
  const payments = async () => accepted(await engine.payments.list(caller, {})).data
  expect(refusal(await create())).toMatchObject({ code: 'internal_error' })
  // A client that reads back before it tries again with a new key finds it.
  expect(await payments()).toMatchObject([{ status: 'processing', amount: 1000 }])
  await advance(sandbox, 60)
  expect(await payments()).toMatchObject([{ status: 'succeeded' }])
  const [event, ...others] = accepted(await engine.events.list(caller, {})).data
  expect([event?.id, others]).toEqual([told[1], [expect.objectContaining({ type: 'payment.processing' })]])
  expect(told).toHaveLength(2)
  expect(refusal(await create())).toMatchObject({ code: 'internal_error' })
})

it('a refund whose listener throws is pending until it has not', async () => {
  const sandbox = await openSandbox({ on: { 'refund.succeeded': onFireOnce() } })
  const { engine, caller } = sandbox
  const { id: payment } = accepted(await pay(sandbox, 'tok_test_visa'))
  const refunds = async () => accepted(await engine.refunds.list(caller, { payment })).data
  const refused = await engine.refunds.create(caller, { payment }, { idempotency_key: freshKey() })
  expect(refusal(refused)).toMatchObject({ code: 'internal_error' })
  expect(await refunds()).toMatchObject([{ status: 'pending' }])
  await advance(sandbox, 60)
  expect(await refunds()).toMatchObject([{ status: 'succeeded' }])
})

it('a listener that throws takes a command with it', async () => {
  const sandbox = await openSandbox({
    on: {
      'checkout_session.expired': () => Promise.reject(new Error('the listener is on fire')),
    },
  })
  const { engine, caller } = sandbox
  const urls = { success_url: 'https://shop.example.com/ok', cancel_url: 'https://shop.example.com/no' }
  const { id } = accepted(
    await engine.checkout_sessions.create(caller, { amount: 1000, currency: 'USD', ...urls }),
  )
  await expect((async () => engine.checkout_sessions.expire(caller, { id }))()).rejects.toThrow('on fire')
  const options = { idempotency_key: freshKey() }
  const kept = await engine.checkout_sessions.expire(caller, { id }, options)
  expect(refusal(kept)).toMatchObject({ code: 'internal_error' })
  expect(accepted(await engine.checkout_sessions.retrieve(caller, { id })).status).toBe('open')
  expect(accepted(await engine.events.list(caller, {})).data).toEqual([])
})

it('a listener that changes what it was given changes no answer', async () => {
  const sandbox = await openSandbox({
    on: {
      'payment.succeeded': ({ data }) => {
        Object.assign(data.object.metadata as object, { seen: 'yes' })
      },
    },
  })
  const { engine, caller } = sandbox
  const { id: payment_method_session } = await confirmedSession(sandbox, 'tok_test_visa')
  const input = { amount: 1000, currency: 'USD' as const, payment_method_session, metadata: { cart: '7' } }
  const payment = accepted(await engine.payments.create(caller, input, { idempotency_key: freshKey() }))
  expect(payment.metadata).toEqual({ cart: '7' })
  expect(payment).toEqual(await shownPayment(sandbox, payment.id))
})

it('a listener that throws at a chargeback is told of it again, though nobody looks the payment up any more', async () => {
  const listener = onFireOnce()
  const sandbox = await openSandbox({ on: { 'payment.returned': listener } })
  const { id } = accepted(await pay(sandbox, 'tok_test_chargeback'))
  sandbox.clock.advance(3 * 86_400_000)
  await sandbox.engine.reconcile()
  expect((await shownPayment(sandbox, id)).status).toBe('succeeded')
  sandbox.clock.advance(1_000)
  await sandbox.engine.reconcile()
  expect((await shownPayment(sandbox, id)).status).toBe('returned')
  await sandbox.engine.reconcile()
  expect(listener).toHaveBeenCalledTimes(2)
})

it('a charge that no listener lets be shown is named in the log, and shown once they let it', async () => {
  let isOnFire = true
  const listener = () => {
    if (isOnFire) throw new Error('the listener is on fire')
  }
  const error = vi.fn()
  const sandbox = await openSandbox({
    logger: { info() {}, warn() {}, error },
    on: { 'payment.succeeded': listener, 'payment.processing': listener },
  })
  expect(refusal(await pay(sandbox, 'tok_test_visa')).code).toBe('internal_error')
  isOnFire = false
  sandbox.clock.advance(60_000)
  await sandbox.engine.reconcile()
  const [payment] = accepted(await sandbox.engine.payments.list(sandbox.caller, {})).data
  expect(payment?.status).toBe('succeeded')
  expect(error).toHaveBeenCalledWith('the outcome of a charge or refund could not be recorded', {
    ...{ ...sandbox.scope, id: payment?.id },
    fault: 'Error: the listener is on fire',
  })
})

it('a listener that always throws holds up the object it is told of, and nothing else', async () => {
  let dreaded = ''
  const sandbox = await openSandbox({
    on: {
      'payment.succeeded': ({ data }) => {
        if (data.object.id === dreaded) throw new Error('the listener is on fire')
      },
    },
  })
  const live = await sandboxIn(sandbox, { ...sandbox.scope, livemode: true })
  const debits = [sandbox, sandbox, live].map((of) => pay(of, 'btok_test_success'))
  const [held, other, of_live] = (await Promise.all(debits)).map(accepted)
  dreaded = held?.id ?? ''
  const { id: page } = await openCheckout(live, { expires_in: 1800 })
  sandbox.clock.advance(1_800_000)
  await sandbox.engine.reconcile()
  expect((await shownPayment(sandbox, dreaded)).status).toBe('processing')
  expect((await shownPayment(sandbox, other?.id ?? '')).status).toBe('succeeded')
  expect((await shownPayment(live, of_live?.id ?? '')).status).toBe('succeeded')
  expect((await shownCheckout(live, page)).status).toBe('expired')
  const told = dreaded
  dreaded = ''
  await sandbox.engine.reconcile()
  expect((await shownPayment(sandbox, told)).status).toBe('succeeded')
})

it('a listener that throws for however many objects holds up none that falls due after them', async () => {
  const sandbox = await openSandbox({
    on: {
      'checkout_session.expired': ({ data }) => {
        if (data.object.reference === 'dreaded') throw new Error('the listener is on fire')
      },
    },
  })
  const expiring = { expires_in: 1800, reference: 'dreaded' }
  for (let held = 1; held <= 250; held += 1) await openCheckout(sandbox, expiring)
  sandbox.clock.advance(1_800_000)
  const { id: page } = await openCheckout(sandbox, { expires_in: 1800 })
  const { id: unanswered } = accepted(await pay(sandbox, 'tok_test_unknown_approved'))
  sandbox.clock.advance(1_800_000)
  await sandbox.engine.reconcile()
  expect((await shownPayment(sandbox, unanswered)).status).toBe('succeeded')
  expect((await shownCheckout(sandbox, page)).status).toBe('expired')
})

it.each<[string, (sandbox: Sandbox) => Sandbox]>([
  ['the engine itself', (sandbox) => sandbox],
  ['another engine on its store', (sandbox) => sandbox.another()],
])(
  'a listener that waits for %s, which waits for it, is told so, and holds up nobody',
  async (_, waitedFor) => {
    const asked = Promise.withResolvers<void>()
    const logged: unknown[] = []
    const log = (message: string, fields?: object) => void logged.push({ message, ...fields })
    const sandbox: Sandbox = await openSandbox({
      logger: { info: log, warn: log, error: log },
      on: {
        'checkout_session.expired': async () => {
          const opening = openCheckout(waitedFor(sandbox))
          setImmediate(asked.resolve)
          await opening
        },
      },
    })
    const { engine, caller, clock } = sandbox
    const { id } = await openCheckout(sandbox)
    const expiring = (async () => engine.checkout_sessions.expire(caller, { id }))()
    const refused = expect(expiring).rejects.toThrow('in a listener, use `engine.withTransaction(tx)`')
    await asked.promise
    clock.advance(10_000)
    await refused
    expect(logged).toContainEqual({
      message: 'a listener is still running',
      type: 'checkout_session.expired',
      id,
    })
    expect((await shownCheckout(sandbox, id)).status).toBe('open')
    await openCheckout(sandbox)
  },
)

it('what a listener begins and does not wait for happens after what it was told of', async () => {
  const opened: Promise<unknown>[] = []
  const sandbox: Sandbox = await openSandbox({
    on: {
      'checkout_session.expired': () => void opened.push(openCheckout(sandbox)),
    },
  })
  const { engine, caller } = sandbox
  const { id } = await openCheckout(sandbox)
  accepted(await engine.checkout_sessions.expire(caller, { id }))
  expect(await Promise.all(opened)).toMatchObject([{ status: 'open' }])
})

it('a listener may wait for an engine on another store', async () => {
  const elsewhere = await openSandbox()
  const sandbox = await openSandbox({
    on: { 'checkout_session.expired': async () => void (await openCheckout(elsewhere)) },
  })
  const { engine, caller } = sandbox
  const { id } = await openCheckout(sandbox)
  accepted(await engine.checkout_sessions.expire(caller, { id }))
  expect(accepted(await elsewhere.engine.checkout_sessions.list(elsewhere.caller, {})).data).toHaveLength(1)
})

it('listeners run in the asynchronous context of whoever asked for what they are told of', async () => {
  const context = new AsyncLocalStorage<string>()
  const heard: [session: string, context: string | undefined][] = []
  const sandbox = await openSandbox({
    on: {
      'checkout_session.expired': ({ data }) => void heard.push([data.object.id, context.getStore()]),
    },
  })
  const { engine, caller } = sandbox
  const sessions = await Promise.all(Array.from({ length: 12 }, () => openCheckout(sandbox)))
  const expire = async (id: string) => accepted(await engine.checkout_sessions.expire(caller, { id }))
  await Promise.all(sessions.map(({ id }) => context.run(`request for ${id}`, expire, id)))
  expect(heard).toHaveLength(12)
  expect(heard.filter(([id, seen]) => seen !== `request for ${id}`)).toEqual([])
})
