import { startReconciler } from '@quittance/core'
import { expect, it, vi } from 'vitest'
import { accepted, pay } from '../../../testing/src/builders/requests.ts'
import { openCheckout } from '../../../testing/src/builders/sales.ts'
import { openSandbox, withProcessor } from '../../../testing/src/builders/sandbox.ts'

it.each([
  ['throws', () => fail()],
  ['rejects', async () => fail()],
])('a logger that %s changes no answer and ends no reconciler', async (_, log) => {
  const sandbox = await openSandbox({ logger: { info: log, warn: log, error: log } })
  const charge = () => Promise.reject(new Error('no answer'))
  const { engine, ...faulty } = sandbox.another(withProcessor(sandbox, { ...sandbox.processor, charge }))
  expect(accepted(await pay({ ...faulty, engine }, 'tok_test_visa')).status).toBe('processing')

  const reconcile = vi.fn(() => Promise.reject(new Error('the store is away')))
  const reconciler = startReconciler({ ...engine, reconcile })
  for (let pass = 1; pass <= 2; pass += 1) {
    await vi.waitFor(() => expect(reconcile).toHaveBeenCalledTimes(pass))
    await new Promise(setImmediate)
    sandbox.clock.advance(1_000)
  }
  await reconciler.stop()
})

it('a reconciler that nobody stopped ends with its engine, and says nothing of the closed store', async () => {
  const logged: unknown[] = []
  const error = (...line: unknown[]) => void logged.push(line)
  const sandbox = await openSandbox({ logger: { info: () => {}, warn: () => {}, error } })
  const { engine } = sandbox
  const passes: Promise<void>[] = []
  const reconcile: typeof engine.reconcile = (options) => {
    const pass = engine.reconcile(options)
    passes.push(pass)
    return pass
  }
  const reconciler = startReconciler({ ...engine, reconcile })
  await passes[0]
  await new Promise(setImmediate)
  await engine.close()
  sandbox.clock.advance(1_000)
  await Promise.allSettled(passes)
  await new Promise(setImmediate)
  sandbox.clock.advance(10_000)
  expect([passes.length, logged]).toEqual([2, []])
  await reconciler.stop()
})

it('what keeps the processor from answering is logged with its cause, and with the key of what it was asked for', async () => {
  const logged: unknown[] = []
  const warn = (message: string, fields?: object) => void logged.push({ message, ...fields })
  const sandbox = await openSandbox({ logger: { info: () => {}, warn, error: () => {} } })
  const tried = ['::1', '127.0.0.1'].map((address) => new Error(`connect ECONNREFUSED ${address}:443`))
  const cause = new AggregateError(tried)
  const charge = () => Promise.reject(new TypeError('fetch failed', { cause }))
  const deaf = sandbox.another(withProcessor(sandbox, { ...sandbox.processor, charge }))
  const { id } = accepted(await pay(deaf, 'tok_test_visa'))
  const key = `${sandbox.scope.workspace}.${id}`
  const fault = 'fetch failed: connect ECONNREFUSED ::1:443, connect ECONNREFUSED 127.0.0.1:443'
  const livemode = false
  expect(logged).toEqual([{ message: 'the processor did not answer', call: 'charge', key, livemode, fault }])
})

it('of two processors the log says which has no answer, also where it was asked for no key', async () => {
  const logged: unknown[] = []
  const warn = (_message: string, fields?: object) => void logged.push(fields)
  const sandbox = await openSandbox({ logger: { info: () => {}, warn, error: () => {} } })
  const notifications = () => Promise.reject(new Error('away'))
  const processors = { sandbox: sandbox.processor, live: { ...sandbox.processor, notifications } }
  await sandbox.another({ processors }).engine.reconcile()
  expect(logged).toEqual([{ call: 'notifications', livemode: true, fault: 'away' }])
})

it('an engine says when the next row is due, and goes on to say so where none can be reconciled', async () => {
  let isFull = true
  const expired = () => {
    if (isFull) fail()
  }
  const sandbox = await openSandbox({ on: { 'checkout_session.expired': expired } })
  const { engine } = sandbox
  expect(await engine.nextDueAt()).toBe(null)
  const { expires_at } = await openCheckout(sandbox, { expires_in: 1800 })
  const due_at = await engine.nextDueAt()
  expect(due_at).toBe(expires_at)
  sandbox.clock.advance(3_600_000)
  await engine.reconcile()
  expect(await engine.nextDueAt()).toBe(due_at)
  isFull = false
  await engine.reconcile()
  expect(await engine.nextDueAt()).toBe(null)
})

it('a pass logs those that fail alike once, and how many more did', async () => {
  const logged: unknown[] = []
  const log = (message: string, fields?: object) => void logged.push({ message, ...fields })
  const sandbox = await openSandbox({
    logger: { info: log, warn: log, error: log },
    on: { 'checkout_session.expired': () => fail() },
  })
  const pages = await Promise.all(
    Array.from({ length: 3 }, () => openCheckout(sandbox, { expires_in: 1800 })),
  )
  sandbox.clock.advance(1_800_000)
  await sandbox.engine.reconcile()
  const alike = { table: 'checkout_sessions', fault: 'Error: the disk is full' }
  const first = { ...sandbox.scope, id: expect.any(String) }
  expect(logged).toEqual([
    { message: 'a due row could not be reconciled', ...first, ...alike },
    { message: 'more due rows could not be reconciled', count: 2, ...alike },
  ])
  expect(pages.map(({ id }) => id)).toContain((logged[0] as { id: string }).id)
})

it('a pass logs notifications that fail alike once, and how many more did', async () => {
  const logged: unknown[] = []
  const log = (message: string, fields?: object) => void logged.push({ message, ...fields })
  const on = { 'payment.succeeded': () => fail() }
  const sandbox = await openSandbox({ logger: { info: log, warn: log, error: log }, on })
  for (let debit = 1; debit <= 3; debit += 1) accepted(await pay(sandbox, 'btok_test_success'))
  sandbox.clock.advance(120_000)
  await sandbox.engine.reconcile()
  const alike = { of: 'charge', fault: 'Error: the disk is full' }
  expect(logged.filter((line) => JSON.stringify(line).includes('notification'))).toEqual([
    { message: 'a notification could not be applied', id: expect.any(String), ...alike },
    { message: 'more notifications could not be applied', count: 2, ...alike },
  ])
})

function fail(): never {
  throw new Error('the disk is full')
}
