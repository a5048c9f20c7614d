import type { Event, EventType, JoinedEngine, LeasedDelivery } from '@quittance/core'
import { expect } from 'vitest'
import { registeredEndpoint } from '../builders/deliveries.ts'
import { accepted } from '../builders/requests.ts'
import { openCheckout, payCheckout, payInvoice, sentInvoice, shownInvoice } from '../builders/sales.ts'
import { openSandbox, type Sandbox } from '../builders/sandbox.ts'
import { it } from '../suite.ts'
import { ada, begin, seenOutside } from './joined-sandbox.ts'
import type { HostTransaction, OpenedStore } from './open-store.ts'
import { everyRow, turnOfTheLoop } from './opened.ts'

/** The host's listeners, which run in the transaction that files their event, whosever it is. */
export function itCallsListeners(opened: () => OpenedStore, kind: string): void {
  itHandsItsTransactionOn(opened, kind)
  itMayFail(opened, kind)
  itIsReadBetweenUnits(opened, kind)
  itMayUseTheEngine(opened, kind)
  itComesLast(opened)
  itMaySilenceAnEndpoint(opened)
  itMayEditAnEndpointBesideOthers(opened)
}

function itHandsItsTransactionOn(opened: () => OpenedStore, kind: string): void {
  it.each([
    ['commits', ['by the listener'], 'expired'],
    ['vanishes', [], 'open'],
  ])('hands its listeners the transaction: what they write %s with it', async (fate, orders, status) => {
    let current: HostTransaction | undefined
    const { sandbox, id, host, transaction, joined } = await begin(opened(), kind, {
      'checkout_session.expired': async (_event, { tx }) => {
        expect(tx).toBe(current?.native)
        await current?.order('by the listener')
      },
    })
    current = transaction
    accepted(await joined.checkout_sessions.expire(sandbox.caller, { id }))
    await (fate === 'commits' ? transaction.commit() : transaction.rollback())
    expect(await host.orders()).toEqual(orders)
    expect((await seenOutside(sandbox, id)).status).toBe(status)
  })
}

function itMayFail(opened: () => OpenedStore, kind: string): void {
  it.each([undefined, 'under-a-key'])(
    'undoes only the call whose listener throws (idempotency key: %s)',
    async (idempotency_key) => {
      let current: HostTransaction | undefined
      const { sandbox, id, host, transaction, joined } = await begin(opened(), kind, {
        'checkout_session.expired': async () => {
          await current?.order('by the listener')
          throw new Error('the listener is on fire')
        },
      })
      current = transaction
      await transaction.order('before')
      const options = idempotency_key === undefined ? {} : { idempotency_key }
      const expired = async () => await joined.checkout_sessions.expire(sandbox.caller, { id }, options)
      await expect(expired()).rejects.toThrow('the listener is on fire')
      await transaction.order('after')
      await transaction.commit()
      expect((await host.orders()).sort()).toEqual(['after', 'before'])
      expect(await seenOutside(sandbox, id)).toEqual({ status: 'open', events: 0, customers: 0 })
      const key = await sandbox.store.read(sandbox.scope, (rows) =>
        rows.idempotency_keys.get(idempotency_key ?? ''),
      )
      expect(key).toBeUndefined()
    },
  )
}

function itIsReadBetweenUnits(opened: () => OpenedStore, kind: string): void {
  // A read has a savepoint of its own. When that was set within a unit's, the unit's rollback went back only to it.
  it('reads only between units of work, so that a listener that throws undoes all of its unit', async () => {
    const told = Promise.withResolvers<void>()
    let current: HostTransaction | undefined
    const { sandbox, id, host, transaction, joined } = await begin(opened(), kind, {
      'checkout_session.expired': async () => {
        told.resolve()
        // More statements than a read takes: a read that did not wait would be answered between them.
        for (let n = 0; n < 10; n += 1) {
          await current?.order(`${n}`)
          await turnOfTheLoop()
        }
        throw new Error('the listener is on fire')
      },
    })
    current = transaction
    const expired = (async () => joined.checkout_sessions.expire(sandbox.caller, { id }))()
    await told.promise
    const read = joined.checkout_sessions.retrieve(sandbox.caller, { id })
    await expect(expired).rejects.toThrow('the listener is on fire')
    expect(accepted(await read).status).toBe('open')
    await transaction.commit()
    expect(await seenOutside(sandbox, id)).toEqual({ status: 'open', events: 0, customers: 0 })
    expect(await host.orders()).toEqual([])
  })
}

function itMayUseTheEngine(opened: () => OpenedStore, kind: string): void {
  it('lets its listeners join the transaction again, inside the unit of work that calls them', async () => {
    const seen: unknown[] = []
    const on = listening(async (joined, { scope, caller, id }) => {
      await Promise.all(
        ['a', 'a', 'b'].map((reference) => joined.admin.customers.create(scope, { ...ada, reference })),
      )
      seen.push(accepted(await joined.checkout_sessions.retrieve(caller, { id })).status)
    })
    const { sandbox, id, transaction, joined } = await begin(opened(), kind, on.listeners)
    on.use({ ...sandbox, id })
    await Promise.all([
      joined.checkout_sessions.expire(sandbox.caller, { id }),
      joined.admin.customers.create(sandbox.scope, { ...ada, reference: 'c' }),
    ])
    await transaction.commit()
    expect(seen).toEqual(['expired'])
    expect(await seenOutside(sandbox, id)).toEqual({ status: 'expired', events: 1, customers: 3 })
  })

  it('lets its listeners join a transaction of its own as well', async () => {
    const on = listening(async (joined, { scope }) => {
      accepted(await joined.admin.customers.create(scope, { ...ada, reference: 'a' }))
      const taken = await joined.admin.customers.create(scope, { ...ada, reference: 'a' })
      expect(taken.isErr()).toBe(true)
    })
    const sandbox = await openSandbox({ store: opened().store, on: on.listeners })
    const { id } = await openCheckout(sandbox)
    on.use({ ...sandbox, id })
    accepted(await sandbox.engine.checkout_sessions.expire(sandbox.caller, { id }))
    expect(await seenOutside(sandbox, id)).toEqual({ status: 'expired', events: 1, customers: 1 })
  })
}

function itComesLast(opened: () => OpenedStore): void {
  // When listeners came earlier, a rollback to their savepoint undid concurrent writes too, and the rest was committed.
  it('calls its listeners once all else is written, so that a refusal in one undoes nothing else', async () => {
    const on = listening(async (joined, { caller }) => {
      const refused = await joined.checkout_sessions.expire(caller, { id: 'cs_test_none' })
      expect(refused.isErr()).toBe(true)
    }, 'payment.succeeded')
    const sandbox = await openSandbox({ store: opened().store, on: on.listeners })
    const { id: invoice } = await sentInvoice(sandbox, { external_id: 'in the ledger' })
    on.use({ ...sandbox, id: invoice })
    accepted(await payInvoice(sandbox, 'tok_test_visa', { invoice, amount: 1000 }))
    expect(await shownInvoice(sandbox, invoice)).toMatchObject({ status: 'paid', amount_paid: 1000 })
    expect((await sandbox.engine.verify()).violations).toEqual([])
  })

  it('shows the listener of a payment its checkout session as complete', async () => {
    const seen: unknown[] = []
    const on = listening(async (joined, { caller, id }) => {
      seen.push(accepted(await joined.checkout_sessions.retrieve(caller, { id })).status)
    }, 'payment.succeeded')
    const sandbox = await openSandbox({ store: opened().store, on: on.listeners })
    const { id } = await openCheckout(sandbox)
    on.use({ ...sandbox, id })
    accepted(await payCheckout(sandbox, 'tok_test_visa', { id }))
    expect(seen).toEqual(['complete'])
  })
}

function itMaySilenceAnEndpoint(opened: () => OpenedStore): void {
  it.each([
    ['leaves alone is given to a dispatcher', [], { status: 'pending', lease: 1 }],
    [
      'changes but does not move is given to a dispatcher',
      [{ description: 'Orders' }],
      { status: 'pending', lease: 1 },
    ],
    ['moves has to be claimed', [{ url: 'https://moved.example.com/hook' }], { status: 'pending', lease: 0 }],
    ['disables is not sent', [{ status: 'disabled' as const }], { status: 'canceled', lease: 0 }],
    [
      'disables and enables again is not sent either',
      [{ status: 'disabled' as const }, { status: 'enabled' as const }],
      { status: 'canceled', lease: 0 },
    ],
  ])('a delivery to an endpoint that a listener %s', async (_, changes, delivery) => {
    const on = listening(async (joined, { caller, id }) => {
      for (const change of changes) accepted(await joined.webhook_endpoints.update(caller, { id, ...change }))
    })
    const sandbox = await openSandbox({ store: opened().store, on: on.listeners })
    const { engine, caller } = sandbox
    on.use({ ...sandbox, id: (await registeredEndpoint(sandbox)).id })
    const { id } = await openCheckout(sandbox)
    const given: LeasedDelivery[] = []
    let kept = 0
    engine.deliveries.giveFiled((count) => {
      kept += count
      const release = () => {
        kept -= count
      }
      return { send: (deliveries) => given.push(...deliveries), release }
    })
    accepted(await engine.checkout_sessions.expire(caller, { id }))
    expect([given.length, kept]).toEqual([delivery.lease, delivery.lease])
    expect(await everyRow(sandbox.store, sandbox.scope, 'deliveries')).toMatchObject([delivery])
  })
}

function itMayEditAnEndpointBesideOthers(opened: () => OpenedStore): void {
  it('lets listeners edit an endpoint in several units at once', { timeout: 30_000 }, async () => {
    const on = listening(async (joined, { caller, id }) => {
      accepted(await joined.webhook_endpoints.update(caller, { id, description: 'Orders' }))
    })
    const sandbox = await openSandbox({ store: opened().store, on: on.listeners })
    const { engine, caller } = sandbox
    on.use({ ...sandbox, id: (await registeredEndpoint(sandbox)).id })
    const pages = [await openCheckout(sandbox)]
    while (pages.length < 8) pages.push(await openCheckout(sandbox))
    const expired = await Promise.all(pages.map(({ id }) => engine.checkout_sessions.expire(caller, { id })))
    expect(expired.map((result) => accepted(result).status)).toEqual(pages.map(() => 'expired'))
  })
}

/** `id`: of the object that the listener reads or writes. */
type Known = Pick<Sandbox, 'engine' | 'scope' | 'caller'> & { id: string }

/** A listener that joins its transaction with the engine it belongs to, once that is known. */
function listening(
  told: (joined: JoinedEngine, known: Known) => Promise<void>,
  type: EventType = 'checkout_session.expired',
) {
  let known: Known | undefined
  return {
    use(of: Known) {
      known = of
    },
    listeners: {
      async [type](_event: Event, { tx }: { tx: unknown }) {
        if (known !== undefined) await told(known.engine.withTransaction(tx), known)
      },
    },
  }
}
