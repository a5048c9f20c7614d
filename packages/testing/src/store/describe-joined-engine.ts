import type { JoinedEngine } from '@quittance/core'
import { expect, expectTypeOf } from 'vitest'
import { accepted } from '../builders/requests.ts'
import { shop_urls } from '../builders/sales.ts'
import { describe, it } from '../suite.ts'
import { itCallsListeners } from './describe-joined-listeners.ts'
import { ada, begin, seenOutside } from './joined-sandbox.ts'
import type { OpenedStore, OpenStore } from './open-store.ts'
import { eachOpened } from './opened.ts'

/** An engine in the host's own transactions, of each kind that the store joins. */
export function describeJoinedEngine(open: OpenStore, kinds: readonly string[]): void {
  for (const kind of kinds) {
    describe(`an engine in a transaction of the host, ${kind},`, () => {
      const opened = eachOpened(open)
      itSharesItsFate(opened, kind)
      itRefusesAlone(opened, kind)
      itNeverCharges(opened, kind)
      itKeepsIdempotencyKeys(opened, kind)
      itCallsListeners(opened, kind)
    })
  }
}

function itSharesItsFate(opened: () => OpenedStore, kind: string): void {
  it('commits the host’s rows, its own, the event and its deliveries together, and wakes once `committed` is called', async () => {
    const { sandbox, id, host, transaction, joined } = await begin(opened(), kind)
    let woken = 0
    sandbox.engine.deliveries.onFiled(() => {
      woken += 1
    })
    await transaction.order('expired')
    accepted(await joined.checkout_sessions.expire(sandbox.caller, { id }))
    accepted(await joined.admin.customers.create(sandbox.scope, { ...ada, reference: 'a' }))
    expect(await seenOutside(sandbox, id)).toEqual({ status: 'open', events: 0, customers: 0 })
    await transaction.commit()
    expect(woken).toBe(0)
    joined.committed()
    joined.committed()
    expect(woken).toBe(1)
    expect(await seenOutside(sandbox, id)).toEqual({ status: 'expired', events: 1, customers: 1 })
    expect(await sandbox.engine.deliveries.claim(9)).toHaveLength(1)
    expect(await host.orders()).toEqual(['expired'])
  })

  it('rolls back the host’s rows, its own, the event and its deliveries together, and offers these to nobody', async () => {
    const { sandbox, id, host, transaction, joined } = await begin(opened(), kind)
    let offered = 0
    sandbox.engine.deliveries.giveFiled((count) => {
      offered += count
      return null
    })
    accepted(await joined.checkout_sessions.expire(sandbox.caller, { id }))
    accepted(await joined.admin.customers.create(sandbox.scope, { ...ada, reference: 'a' }))
    await transaction.order('expired')
    await transaction.rollback()
    expect(offered).toBe(0)
    expect(await seenOutside(sandbox, id)).toEqual({ status: 'open', events: 0, customers: 0 })
    expect(await sandbox.engine.deliveries.claim(9)).toEqual([])
    expect(await host.orders()).toEqual([])
  })

  it('finds what it has created in the same transaction, a workspace and its key included', async () => {
    const { sandbox, transaction, joined } = await begin(opened(), kind)
    const { id: workspace } = await joined.admin.workspaces.create({ name: 'Tenant' })
    const scope = { workspace, livemode: false }
    const { key } = accepted(await joined.admin.keys.create(scope, { type: 'secret' }))
    const caller = await joined.caller(scope)
    const { id } = accepted(await joined.checkout_sessions.create(caller, page))
    expect(accepted(await joined.checkout_sessions.retrieve(caller, { id })).status).toBe('open')
    await transaction.commit()
    const origin = { ip_address: null, user_agent: null }
    const found = accepted(await sandbox.engine.authenticate(`Bearer ${key}`, origin)).caller
    expect(accepted(await sandbox.engine.checkout_sessions.retrieve(found, { id })).id).toBe(id)
  })

  it('runs concurrent calls one after another', async () => {
    const { sandbox, id, transaction, joined } = await begin(opened(), kind)
    const references = Array.from({ length: 8 }, (_, n) => `${n % 4}`)
    const results = await Promise.all([
      ...references.map((reference) => joined.admin.customers.create(sandbox.scope, { ...ada, reference })),
      sandbox.engine.withTransaction(transaction.native).checkout_sessions.expire(sandbox.caller, { id }),
      joined.customers.list(sandbox.caller, {}),
    ])
    expect(results.filter((result) => result.isErr())).toHaveLength(4)
    await transaction.commit()
    expect(await seenOutside(sandbox, id)).toEqual({ status: 'expired', events: 1, customers: 4 })
  })
}

function itRefusesAlone(opened: () => OpenedStore, kind: string): void {
  it('undoes only what it refuses; the host can still commit the rest', async () => {
    const { sandbox, id, host, transaction, joined } = await begin(opened(), kind)
    await transaction.order('before')
    accepted(await joined.admin.customers.create(sandbox.scope, { ...ada, reference: 'a' }))
    const taken = await joined.admin.customers.create(sandbox.scope, { ...ada, reference: 'a' })
    expect(taken.isErr() && taken.error.code).toBe('conflict')
    const missing = await joined.checkout_sessions.expire(sandbox.caller, { id: 'cs_test_none' })
    expect(missing.isErr() && missing.error.code).toBe('resource_missing')
    accepted(await joined.checkout_sessions.expire(sandbox.caller, { id }))
    await transaction.commit()
    expect(await seenOutside(sandbox, id)).toEqual({ status: 'expired', events: 1, customers: 1 })
    expect(await host.orders()).toEqual(['before'])
  })
}

function itNeverCharges(opened: () => OpenedStore, kind: string): void {
  it('throws, with the reason, where it would have to ask the processor, and does nothing', async () => {
    const { sandbox, transaction, joined, method } = await begin(opened(), kind)
    const { caller, scope } = sandbox
    const charge = { amount: 1000, currency: 'USD' as const, payment_method: method }
    const options = { idempotency_key: 'a-charge' }
    const calls: [string, unknown, ...unknown[]][] = [
      ['payments.create', caller, charge, options],
      ['refunds.create', caller, { payment: 'pay_test_none' }, { idempotency_key: 'a-refund' }],
      ['payment_method_sessions.confirm', sandbox.browser, { id: 'pms_test_none' }],
      ['checkout_sessions.pay', caller, { id: 'cs_test_none' }],
      ['invoices.pay', caller, { id: 'none' }],
      ['admin.payments.void', scope, { id: 'pay_test_none' }],
      ['admin.refunds.create', scope, { payment: 'pay_test_none' }],
    ]
    for (const [name, ...given] of calls) {
      const call = methodOf(joined, name)
      expect(() => call(...given)).toThrow(`${name} asks the processor, and no transaction may be open`)
    }
    expectTypeOf<keyof JoinedEngine['payments']>().toEqualTypeOf<'retrieve' | 'list'>()
    expectTypeOf<keyof JoinedEngine['refunds']>().toEqualTypeOf<'retrieve' | 'list'>()
    expectTypeOf<JoinedEngine['admin']>().not.toHaveProperty('refunds')
    await transaction.commit()
    expect(accepted(await sandbox.engine.payments.list(caller, {})).data).toEqual([])
    expect(accepted(await sandbox.engine.payments.create(caller, charge, options)).status).toBe('succeeded')
  })
}

function itKeepsIdempotencyKeys(opened: () => OpenedStore, kind: string): void {
  it('remembers the answer under an Idempotency-Key if the host commits, and only then', async () => {
    const store = opened()
    const first = await begin(store, kind)
    const { sandbox } = first
    const options = { idempotency_key: 'an-order' }
    const create = ({ checkout_sessions }: Pick<JoinedEngine, 'checkout_sessions'>) =>
      checkout_sessions.create(sandbox.caller, page, options)
    const lost = accepted(await create(first.joined))
    expect(accepted(await create(first.joined))).toEqual(lost)
    await first.transaction.rollback()
    const transaction = await first.host.begin(kind)
    const kept = accepted(await create(sandbox.engine.withTransaction(transaction.native)))
    await transaction.commit()
    expect(kept.id).not.toBe(lost.id)
    expect(accepted(await create(sandbox.engine))).toEqual(kept)
  })

  it('remembers a refusal under a key as well', async () => {
    const { sandbox, transaction, joined } = await begin(opened(), kind)
    const options = { idempotency_key: 'refused' }
    const input = { ...page, customer: 'none' }
    const refused = await joined.checkout_sessions.create(sandbox.caller, input, options)
    expect(refused.isErr() && refused.error).toMatchObject({ code: 'resource_missing', param: 'customer' })
    await transaction.commit()
    const row = await sandbox.store.read(sandbox.scope, (rows) => rows.idempotency_keys.get('refused'))
    expect(row).toMatchObject({ answer_status: 404, lease_until: null })
  })
}

const page = { amount: 1000, currency: 'USD' as const, ...shop_urls }

/** By its name, as untyped code would find it. */
function methodOf(joined: JoinedEngine, name: string): (...given: unknown[]) => unknown {
  let found: unknown = joined
  for (const part of name.split('.')) found = Reflect.get(Object(found), part)
  if (typeof found !== 'function') throw new Error(`there is no ${name}`)
  return found as (...given: unknown[]) => unknown
}
