import { expect, it, vi } from 'vitest'
import { accepted, pay, shownPayment } from '../../../testing/src/builders/requests.ts'
import { eventTypesOf, openCheckout, refund } from '../../../testing/src/builders/sales.ts'
import { openSandbox, type Sandbox, withProcessor } from '../../../testing/src/builders/sandbox.ts'
import { aroundUnit, withOwn } from '../../../testing/src/ports/around.ts'
import type { Event } from '../../src/events/event.ts'
import type { Notification, NotificationPage, Processor } from '../../src/ports/processor.ts'
import { hour_ms } from '../../src/schema/timestamps.ts'

const key = ({ scope }: Sandbox, id: string) => `${scope.workspace}.${id}`

function settledNotice(sandbox: Sandbox, id: string) {
  return { id: 'n1', of: 'charge', key: key(sandbox, id), state: { kind: 'settled' } } as const
}

/** An engine whose processor has these pages to tell, whose cursors are the numbers of the next. */
function telling(sandbox: Sandbox, pages: Notification[][], options: object = {}) {
  const asked: (string | null)[] = []
  const notifications: Processor['notifications'] = async ({ after }): Promise<NotificationPage> => {
    asked.push(after)
    const at = Number(after ?? 0)
    return { notifications: pages[at] ?? [], cursor: String(Math.min(at + 1, pages.length)) }
  }
  const processor = { ...sandbox.processor, notifications }
  const { engine } = sandbox.another({ ...withProcessor(sandbox, processor), ...options })
  return { engine, asked }
}

async function held({ store, scope }: Sandbox) {
  const own = { ...scope, workspace: 'engine' }
  const rows = await store.read(own, ({ held_notifications }) =>
    held_notifications.page({ where: {}, limit: 9 }),
  )
  return rows.map(({ id, notifications }) => [id, notifications.map(({ state }) => state.kind)])
}

it.each(['charge', 'refund'] as const)(
  'a %s told of in a state that nobody knows is held, and what is behind it is applied, on later pages too',
  async (of) => {
    const sandbox = await openSandbox()
    const { id } = accepted(await pay(sandbox, 'btok_test_success'))
    const other = accepted(await pay(sandbox, 'tok_test_refund_pending'))
    const about = of === 'charge' ? other : accepted(await refund(sandbox, { payment: other.id }))
    const odd = {
      id: 'n1',
      of,
      key: key(sandbox, about.id),
      state: { kind: 'gone' },
    } as unknown as Notification
    const settled = { id: 'n2', of: 'charge', key: key(sandbox, id), state: { kind: 'settled' } } as const
    // The first pass ends at the empty page.
    const { engine, asked } = telling(sandbox, [[odd], [], [settled]])
    await engine.reconcile()
    await engine.reconcile()
    expect(asked).toEqual([null, '1', '2', '3'])
    expect((await shownPayment(sandbox, id)).status).toBe('succeeded')
    expect(await held(sandbox)).toEqual([[key(sandbox, about.id), ['gone']]])
    expect((await engine.verify()).violations).toEqual([])
  },
)

it.each([1, 2])(
  'what could not be applied is tried again in its order, in twice the time each time, and then forgotten (pages: %i)',
  async (count) => {
    const sandbox = await openSandbox()
    const { id } = accepted(await pay(sandbox, 'btok_test_success'))
    const told = (n: number, state: object) => ({ id: `n${n}`, of: 'charge', key: key(sandbox, id), state })
    const both = [
      told(1, { kind: 'settled' }),
      told(2, { kind: 'returned', return_code: 'R01', message: 'Insufficient funds.' }),
    ] as Notification[]
    const pages = count === 1 ? [both] : both.map((one) => [one])
    const listener = vi.fn()
    const { engine } = telling(sandbox, pages, { on: { 'payment.succeeded': listener } })
    listener.mockImplementation(() => {
      throw new Error('the listener is on fire')
    })
    const after = async (ms: number) => {
      sandbox.clock.advance(ms)
      await engine.reconcile()
      return listener.mock.calls.length
    }
    expect(await after(0)).toBe(1)
    expect(await held(sandbox)).toEqual([[key(sandbox, id), ['settled', 'returned']]])
    expect(await after(999)).toBe(1)
    expect(await after(1)).toBe(2)
    expect(await after(1_999)).toBe(2)
    listener.mockReset()
    expect(await after(1)).toBe(1)
    expect((await shownPayment(sandbox, id)).status).toBe('returned')
    expect(await eventTypesOf(sandbox, id)).toEqual([
      'payment.processing',
      'payment.succeeded',
      'payment.returned',
    ])
    expect(await held(sandbox)).toEqual([])
  },
)

it('what is behind one that could be applied at last is still held if it cannot be applied itself', async () => {
  const sandbox = await openSandbox()
  const { id } = accepted(await pay(sandbox, 'btok_test_success'))
  const returned = { kind: 'returned', return_code: 'R01', message: 'Insufficient funds.' } as const
  const both = [settledNotice(sandbox, id), { ...settledNotice(sandbox, id), id: 'n2', state: returned }]
  const burning = new Set(['payment.succeeded', 'payment.returned'])
  const listener = ({ type }: Event) => {
    if (burning.has(type)) throw new Error('the listener is on fire')
  }
  const on = { 'payment.succeeded': listener, 'payment.returned': listener }
  const { engine } = telling(sandbox, [both], { on })
  await engine.reconcile()
  burning.delete('payment.succeeded')
  sandbox.clock.advance(1_000)
  await engine.reconcile()
  expect(await held(sandbox)).toEqual([[key(sandbox, id), ['returned']]])
  burning.delete('payment.returned')
  sandbox.clock.advance(2_000)
  await engine.reconcile()
  expect((await shownPayment(sandbox, id)).status).toBe('returned')
})

it('what cannot be applied for days is tried again within the hour', async () => {
  const sandbox = await openSandbox()
  const { id } = accepted(await pay(sandbox, 'btok_test_never_settles'))
  const settled = settledNotice(sandbox, id)
  const listener = vi.fn()
  listener.mockImplementation(() => {
    throw new Error('the listener is on fire')
  })
  const { engine } = telling(sandbox, [[settled]], { on: { 'payment.succeeded': listener } })
  for (let hour = 0; hour < 72; hour += 1) {
    await engine.reconcile()
    sandbox.clock.advance(hour_ms)
  }
  listener.mockReset()
  await engine.reconcile()
  expect((await shownPayment(sandbox, id)).status).toBe('succeeded')
})

// The store fails once the cursor could have been kept.
it('what can be neither applied nor held is told again', async () => {
  const sandbox = await openSandbox()
  const { id } = accepted(await pay(sandbox, 'btok_test_never_settles'))
  const settled = settledNotice(sandbox, id)
  let isFull = true
  const store = withOwn(sandbox.store, {
    transaction: (scope, work) =>
      sandbox.store.transaction(scope, (tx) =>
        work(
          aroundUnit(tx, async ({ table }, run) => {
            if (isFull && table !== 'cursors') throw new Error('the disk is full')
            return await run()
          }),
        ),
      ),
  })
  const { engine } = telling(sandbox, [[settled]], { store })
  await expect(engine.reconcile()).rejects.toThrow('the disk is full')
  isFull = false
  await engine.reconcile()
  expect((await shownPayment(sandbox, id)).status).toBe('succeeded')
})

it('what is told again while it is held is held once', async () => {
  const sandbox = await openSandbox()
  const { id } = accepted(await pay(sandbox, 'btok_test_success'))
  const settled = settledNotice(sandbox, id)
  const on = {
    'payment.succeeded': () => {
      throw new Error('the listener is on fire')
    },
  }
  const { engine } = telling(sandbox, [[settled], [settled, { ...settled, id: 'n2' }]], { on })
  await engine.reconcile()
  expect(await held(sandbox)).toEqual([[key(sandbox, id), ['settled', 'settled']]])
})

it('notifications wait for no pass that goes on for long', async () => {
  const sandbox: Sandbox = await openSandbox({
    on: { 'checkout_session.expired': () => sandbox.clock.advance(20) },
  })
  for (let page = 0; page < 120; page += 1) await openCheckout(sandbox, { expires_in: 1800 })
  sandbox.clock.advance(1_800_000)
  const { engine, asked } = telling(sandbox, [])
  await engine.reconcile()
  expect(asked).toEqual([null, '0', '0'])
})

it('a pass that goes on for long is held up by a processor that hangs for half of its time at most', async () => {
  const sandbox: Sandbox = await openSandbox({
    on: { 'checkout_session.expired': () => sandbox.clock.advance(100) },
  })
  for (let page = 0; page < 120; page += 1) await openCheckout(sandbox, { expires_in: 1800 })
  sandbox.clock.advance(1_800_000)
  let asked = 0
  const notifications: Processor['notifications'] = async ({ after }) => {
    asked += 1
    sandbox.clock.advance(19_000)
    return { notifications: [], cursor: after }
  }
  const hanging = { ...sandbox.processor, notifications }
  await sandbox.another(withProcessor(sandbox, hanging)).engine.reconcile()
  expect(asked).toBe(1)
})

it('a notification of what has no key, or of no charge or refund, does not hold up the others', async () => {
  const sandbox = await openSandbox()
  const { id } = accepted(await pay(sandbox, 'btok_test_success'))
  const settled = { id: 'n3', of: 'charge', key: key(sandbox, id), state: { kind: 'settled' } }
  const declined = { kind: 'declined', decline_code: 'x', message: 'x' }
  const page = [
    { id: 'n1', of: 'charge', state: { kind: 'settled' } },
    { id: 'n2', of: 'payout', key: key(sandbox, id), state: declined },
    settled,
  ] as Notification[]
  const warn = vi.fn()
  const { engine } = telling(sandbox, [page], { logger: { info() {}, warn, error() {} } })
  await engine.reconcile()
  expect((await shownPayment(sandbox, id)).status).toBe('succeeded')
  const dropped = { livemode: false, count: 2 }
  expect(warn.mock.calls).toEqual([['notifications under unknown keys were dropped', dropped]])
})
