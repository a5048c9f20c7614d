import { describe, expect, it } from 'vitest'
import {
  advance,
  deliveriesOf,
  dispatching,
  lastEvent,
  pay,
  register,
  type Service,
  service,
} from './service.ts'
import { gate, webReceiver } from './web-receiver.ts'

const changes = {
  disable: ({ engine, caller }: Service, id: string) =>
    engine.webhook_endpoints.update(caller, { id, status: 'disabled' }).map(() => undefined),
  delete: ({ engine, caller }: Service, id: string) =>
    engine.webhook_endpoints.delete(caller, { id }).map(() => undefined),
}
type Change = keyof typeof changes

async function enable({ engine, caller }: Service, id: string): Promise<void> {
  const enabled = await engine.webhook_endpoints.update(caller, { id, status: 'enabled' })
  expect(enabled.isOk()).toBe(true)
}
const both: Change[] = ['disable', 'delete']

describe('an endpoint that is disabled or deleted', () => {
  it.each(both)('has its pending deliveries canceled by a %s, and receives nothing more', async (change) => {
    const receiver = await webReceiver(() => 500)
    const { made, endpoint } = await sending(receiver.url)
    await advance(made, 0)
    const { id } = await lastEvent(made)
    expect(await deliveriesOf(made, id)).toMatchObject([{ status: 'pending', attempt_count: 1 }])
    await changed(made, change, endpoint)
    expect(await deliveriesOf(made, id)).toMatchObject([
      { endpoint, status: 'canceled', attempt_count: 1, next_attempt_at: null, last_error: 'http 500' },
    ])
    await pay(made)
    await advance(made, 86_400)
    expect(receiver.received).toHaveLength(1)
    expect(await deliveriesOf(made, (await lastEvent(made)).id)).toEqual([])
  })

  it('gets new events again once it is enabled, and none it missed', async () => {
    const receiver = await webReceiver()
    const { made, endpoint } = await sending(receiver.url)
    await advance(made, 0)
    await changed(made, 'disable', endpoint)
    await pay(made)
    await enable(made, endpoint)
    await pay(made)
    await advance(made, 3_600)
    expect(receiver.received).toHaveLength(2)
  })

  it.each(['disabled', 'enabled again'])(
    'gets nothing that was claimed before and is found after a crash with it %s',
    async (by_then) => {
      const receiver = await webReceiver()
      const made = await service()
      const { id: endpoint } = await register(made, receiver.url)
      await pay(made)
      // Claimed by a process that dies, while the endpoint is disabled.
      expect(await made.engine.deliveries.claim(1)).toHaveLength(1)
      await changed(made, 'disable', endpoint)
      if (by_then === 'enabled again') await enable(made, endpoint)
      made.clock.pass(30_000)
      await dispatching(made).drain()
      expect(receiver.received).toEqual([])
      const { id } = await lastEvent(made)
      expect(await deliveriesOf(made, id)).toMatchObject([{ status: 'canceled', attempt_count: 0 }])
    },
  )

  it('gets no second attempt of what was on the wire, though it was enabled again meanwhile', async () => {
    const held = gate(500)
    const receiver = await webReceiver(held.answer)
    const { made, endpoint } = await sending(receiver.url)
    await expect.poll(() => receiver.received.length).toBe(1)
    const { id } = await lastEvent(made)
    await changed(made, 'disable', endpoint)
    await enable(made, endpoint)
    held.open()
    await advance(made, 86_400)
    expect(receiver.received).toHaveLength(1)
    const canceled = { status: 'canceled', attempt_count: 1, last_error: 'http 500' }
    expect(await deliveriesOf(made, id)).toMatchObject([canceled])
  })
})

describe('R18: disabling an endpoint while an attempt is on the wire', () => {
  onTheWire('disable')
})

describe('R21: deleting an endpoint while an attempt is on the wire', () => {
  onTheWire('delete')
})

describe('R19: a resend while an earlier delivery is still being retried', () => {
  it('answers conflict and adds nothing, until the earlier one has ended', async () => {
    const answers = [500]
    const receiver = await webReceiver(() => answers.shift() ?? 200)
    const { made, endpoint } = await sending(receiver.url)
    await advance(made, 0)
    const { id } = await lastEvent(made)
    const refused = await made.engine.events.resend(made.caller, { id, endpoint })
    expect(refused._unsafeUnwrapErr().code).toBe('conflict')
    expect(await deliveriesOf(made, id)).toHaveLength(1)
    await advance(made, 60)
    const resent = await made.engine.events.resend(made.caller, { id, endpoint })
    expect(resent._unsafeUnwrap().deliveries.map(({ origin }) => origin)).toEqual(['emit', 'resend'])
  })

  it('answers conflict while the attempt is on the wire, and one of two resends at once', async () => {
    const held = gate()
    const receiver = await webReceiver(held.answer)
    const { made, endpoint } = await sending(receiver.url)
    await expect.poll(() => receiver.received.length).toBe(1)
    const { id } = await lastEvent(made)
    const resend = () => made.engine.events.resend(made.caller, { id, endpoint })
    expect((await resend()).isErr()).toBe(true)
    held.open()
    await advance(made, 0)
    // Held again: where the first resend had arrived, the second would be in order.
    const held_again = gate()
    receiver.answer = held_again.answer
    const both = await Promise.all([resend(), resend()])
    expect(both.filter((one) => one.isOk())).toHaveLength(1)
    held_again.open()
    await advance(made, 0)
    expect(await deliveriesOf(made, id)).toMatchObject([{ status: 'succeeded' }, { status: 'succeeded' }])
    expect(receiver.received).toHaveLength(2)
  })
})

function onTheWire(change: Change): void {
  it.each([
    [200, 'succeeded'],
    [503, 'canceled'],
  ])('lets an answer of %i make its delivery %s', async (status, becomes) => {
    const held = gate(status)
    const receiver = await webReceiver(held.answer)
    const { made, endpoint } = await sending(receiver.url)
    await expect.poll(() => receiver.received.length).toBe(1)
    await changed(made, change, endpoint)
    const { id } = await lastEvent(made)
    expect(await deliveriesOf(made, id)).toMatchObject([{ status: 'pending' }])
    held.open()
    await expect.poll(async () => (await deliveriesOf(made, id))[0]?.status).toBe(becomes)
    expect(await deliveriesOf(made, id)).toMatchObject([{ attempt_count: 1, last_response_status: status }])
    await advance(made, 86_400)
    expect(receiver.received).toHaveLength(1)
  })
}

/** A service whose one payment's event is on its way to `url`. */
async function sending(url: string) {
  const made = await service()
  dispatching(made)
  const { id: endpoint } = await register(made, url)
  await pay(made)
  return { made, endpoint }
}

async function changed(made: Service, change: Change, endpoint: string): Promise<void> {
  ;(await changes[change](made, endpoint))._unsafeUnwrap()
}
