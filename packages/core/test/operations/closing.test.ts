import { expect, it, vi } from 'vitest'
import { accepted, confirmedSession, freshKey, pay } from '../../../testing/src/builders/requests.ts'
import { openSandbox, type Sandbox, withProcessor } from '../../../testing/src/builders/sandbox.ts'
import { heldCall, heldProcessor } from '../../../testing/src/ports/held-processor.ts'
import { turnOfTheLoop } from '../../../testing/src/store/opened.ts'
import type { VirtualClock } from '../../../testing/src/virtual-clock.ts'
import { startReconciler } from '../../src/engine/reconcile/start-reconciler.ts'
import type { Processor } from '../../src/ports/processor.ts'

// On a database of the host, which stays open, a closed engine still refunded.
it('a closed engine does nothing that is asked of it, and says why', async () => {
  const sandbox = await openSandbox({ testHelpers: true })
  const { engine, caller, scope } = sandbox
  const payment = accepted(await pay(sandbox, 'tok_test_visa')).id
  await engine.close()
  const asked = {
    refund: () => engine.refunds.create(caller, { payment, amount: 100 }, { idempotency_key: freshKey() }),
    list: () => engine.payments.list(caller, {}),
    workspace: () => engine.admin.workspaces.create({ name: 'Late' }),
    caller: () => engine.caller(scope),
    authenticate: () => engine.authenticate('Bearer sk_test_none', { ip_address: null, user_agent: null }),
    claim: () => engine.deliveries.claim(1),
    page: () => engine.pages.invoice('none'),
    reconcile: () => engine.reconcile(),
    verify: () => engine.verify(),
    reseal: () => engine.reseal(),
    migrate: () => engine.migrate(),
    pending: () => engine.migrations.pending(),
  }
  for (const [what, ask] of Object.entries(asked))
    await expect(ask(), what).rejects.toThrow('The engine has been closed.')
  await engine.close()
})

// Its money was taken, and nothing said so until another process asked.
it('an engine that is closed while it charges records the charge first, and begins no other', async () => {
  const sandbox = await openSandbox()
  const { processor, held, release } = heldProcessor(sandbox.processor, 'before')
  const { engine } = sandbox.another(withProcessor(sandbox, processor))
  const { id: payment_method_session } = await confirmedSession({ ...sandbox, engine }, 'tok_test_visa')
  const charge = async () =>
    engine.payments.create(
      sandbox.caller,
      { amount: 1000, currency: 'USD', payment_method_session },
      { idempotency_key: freshKey() },
    )
  const charging = charge()
  await held
  const closing = engine.close()
  await expect(charge()).rejects.toThrow('The engine has been closed.')
  release()
  expect(accepted(await charging).status).toBe('succeeded')
  await closing
  await expect(engine.payments.list(sandbox.caller, {})).rejects.toThrow('The engine has been closed.')
})

it('an engine that is closed while it charges several times waits for the last of them', async () => {
  const sandbox = await openSandbox()
  const answers = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let asked = 0
  const charge: Processor['charge'] = async (request) => {
    const answer = answers[asked]
    asked += 1
    await answer?.promise
    return sandbox.processor.charge(request)
  }
  const another = sandbox.another(withProcessor(sandbox, { ...sandbox.processor, charge }))
  const paying = answers.map(() => pay(another, 'tok_test_visa'))
  await expect.poll(() => asked).toBe(2)
  const closing = another.engine.close().then(() => 'closed')
  answers[0]?.resolve()
  await Promise.race(paying)
  const soon = turnOfTheLoop().then(() => 'open')
  expect(await Promise.race([closing, soon])).toBe('open')
  answers[1]?.resolve()
  for (const paid of await Promise.all(paying)) expect(accepted(paid).status).toBe('succeeded')
  await closing
})

it('an engine that is closed while it voids a payment records that first', async () => {
  const sandbox = await openSandbox()
  const { id } = accepted(await pay(sandbox, 'btok_test_never_settles'))
  const { processor } = sandbox
  const { call, held, release } = heldCall(processor.void.bind(processor), 'before')
  const { engine } = sandbox.another(withProcessor(sandbox, { ...processor, void: call }))
  const voiding = (async () => engine.admin.payments.void(sandbox.scope, { id }))()
  await held
  const closing = engine.close()
  release()
  expect(accepted(await voiding).status).toBe('canceled')
  await closing
})

it('an engine that is closed in the middle of a listener lets it end', async () => {
  const entered = Promise.withResolvers<void>()
  const leaving = Promise.withResolvers<void>()
  const sandbox: Sandbox = await openSandbox({
    on: {
      'payment.succeeded': async (_event, { tx }) => {
        entered.resolve()
        await leaving.promise
        // In memory there is none to join.
        if (tx === undefined) return
        accepted(await sandbox.engine.withTransaction(tx).customers.list(sandbox.caller, {}))
      },
    },
  })
  const paying = pay(sandbox, 'tok_test_visa')
  await entered.promise
  const closing = sandbox.engine.close()
  leaving.resolve()
  expect(accepted(await paying).status).toBe('succeeded')
  await closing
})

it('a reconciler that is stopped ends the pass it is at, and begins no other', async () => {
  const sandbox = await openSandbox()
  const { processor, clock } = sandbox
  const [asked, answers, pausing] = Array.from({ length: 3 }, () => Promise.withResolvers<void>())
  const notifications = vi.fn<Processor['notifications']>(async (request) => {
    asked?.resolve()
    await answers?.promise
    return processor.notifications(request)
  })
  const after: VirtualClock['after'] = (delay_ms, wake) => {
    if (delay_ms === 7) pausing?.resolve()
    return clock.after(delay_ms, wake)
  }
  const { engine } = sandbox.another({
    ...withProcessor(sandbox, { ...processor, notifications }),
    clock: { ...clock, after },
  })
  const paused = startReconciler(engine, { pauseMs: 7 })
  const stopped = startReconciler(engine, { pauseMs: 8 })
  await asked?.promise
  const stopping = Promise.race([
    stopped.stop().then(() => 'stopped'),
    turnOfTheLoop().then(() => 'in its pass'),
  ])
  expect(await stopping).toBe('in its pass')
  answers?.resolve()
  await pausing?.promise
  await Promise.all([stopped.stop(), paused.stop()])
  notifications.mockClear()
  clock.advance(8)
  await turnOfTheLoop()
  expect(notifications).not.toHaveBeenCalled()
})

it('a reconciler leaves no timer behind where it is stopped, or its engine closed', async () => {
  const sandbox = await openSandbox()
  const { clock } = sandbox
  const timers = new Set<number>()
  const after: VirtualClock['after'] = (delay_ms, wake) => {
    timers.add(delay_ms)
    const cancel = clock.after(delay_ms, () => {
      timers.delete(delay_ms)
      wake()
    })
    return () => {
      timers.delete(delay_ms)
      cancel()
    }
  }
  const { engine } = sandbox.another({ clock: { ...clock, after } })
  const stopped = startReconciler(engine, { pauseMs: 7 })
  startReconciler(engine, { pauseMs: 8 })
  await expect.poll(() => [timers.has(7), timers.has(8)]).toEqual([true, true])
  await stopped.stop()
  expect(timers.has(7)).toBe(false)
  await engine.close()
  clock.advance(8)
  await turnOfTheLoop()
  expect(timers.has(8)).toBe(false)
})
