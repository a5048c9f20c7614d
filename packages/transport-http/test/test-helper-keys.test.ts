import { type Processor, systemClock } from '@quittance/core'
import { simulatedProcessor } from '@quittance/processor-simulator'
import { describe, expect, it } from 'vitest'
import { newPayment } from './purchases.ts'
import { openShop, type Reply, refusal, type Shop } from './shop.ts'

const day_s = 86_400
const advance = '/test-helpers/clock/advance'

/** A clock that stands still: only the test helper moves the engine's. */
async function openStillShop(processor: Processor = simulatedProcessor()): Promise<Shop> {
  const now = Date.now()
  const clock = { ...systemClock, now: () => now, real: () => now }
  return openShop({ clock, testHelpers: true, processors: { sandbox: processor } })
}

const post = ({ send }: Shop, path: string, key: string, body: object = {}): Promise<Reply> =>
  send('POST', path, { body, headers: { 'idempotency-key': key } })

const isReplayed = ({ headers }: Reply) => headers.get('idempotent-replayed') === 'true'

describe('a test helper under an Idempotency-Key', () => {
  it('moves the clock once, and answers the same again, byte for byte', async () => {
    const shop = await openStillShop()
    const before = shop.engine.clock.now()
    const first = await post(shop, advance, 'once', { seconds: day_s })
    const again = await post(shop, advance, 'once', { seconds: day_s })
    expect(shop.engine.clock.now() - before).toBe(day_s * 1000)
    expect([again.status, again.text]).toEqual([200, first.text])
    expect([first, again].map(isReplayed)).toEqual([false, true])
  })

  it('moves it once also where the second request comes before the first is answered', async () => {
    const { processor, asked, answer } = slowToTell()
    const shop = await openStillShop(processor)
    const before = shop.engine.clock.now()
    const first = post(shop, advance, 'once', { seconds: day_s })
    await asked
    const second = await post(shop, advance, 'once', { seconds: day_s })
    expect(refusal(second)).toMatchObject({ status: 409, code: 'idempotency_key_in_flight' })
    const others = [
      await post(shop, advance, 'once', { seconds: 1 }),
      await post(shop, '/payment-method-sessions', 'once'),
    ]
    for (const other of others)
      expect(refusal(other)).toMatchObject({ status: 400, code: 'idempotency_key_reused' })
    expect(second.headers.get('retry-after')).toBe('1')
    answer()
    expect((await first).status).toBe(200)
    expect((await post(shop, advance, 'once', { seconds: day_s })).text).toBe((await first).text)
    expect(shop.engine.clock.now() - before).toBe(day_s * 1000)
  })

  it('keeps its key from no other workspace meanwhile, and not from the live environment', async () => {
    const { processor, asked, answer } = slowToTell()
    const shop = await openStillShop(processor)
    const { id: workspace } = await shop.engine.admin.workspaces.create({ name: 'Umbrella' })
    const other = await shop.newKey({ workspace, livemode: false })
    const first = post(shop, advance, 'once', { seconds: day_s })
    await asked
    const body = { url: 'https://example.com/hook', enabled_events: ['*'] }
    const headers = { 'idempotency-key': 'once' }
    for (const key of [other.key, shop.keys.live])
      expect((await shop.send('POST', '/webhook-endpoints', { key, body, headers })).status).toBe(200)
    answer()
    expect((await first).status).toBe(200)
  })

  it('answers a step and a refused step again, with the request they were answered to', async () => {
    const shop = await openStillShop()
    const { id } = await newPayment(shop, { token: 'btok_test_success' })
    const settle = `/test-helpers/payments/${id}/settle`
    const settled = await post(shop, settle, 'settle')
    const refused = await post(shop, settle, 'again')
    expect([settled.status, refused.status]).toEqual([200, 409])
    for (const [key, reply] of [
      ['settle', settled],
      ['again', refused],
    ] as const) {
      const again = await post(shop, settle, key)
      expect([again.status, again.text, isReplayed(again)]).toEqual([reply.status, reply.text, true])
    }
    expect((await shop.engine.verify()).violations).toEqual([])
  })

  it('refuses another request under its key, and one of the API the key of a helper', async () => {
    const shop = await openStillShop()
    const { id } = await newPayment(shop, { token: 'btok_test_success' })
    await post(shop, advance, 'a', { seconds: 1 })
    const others: [path: string, body: object][] = [
      [advance, { seconds: 2 }],
      [`/test-helpers/payments/${id}/settle`, {}],
      ['/refunds', { payment: id }],
    ]
    for (const [path, body] of others)
      expect(refusal(await post(shop, path, 'a', body))).toMatchObject({ code: 'idempotency_key_reused' })
    expect((await shop.send('GET', `/payments/${id}`)).body.status).toBe('processing')
    expect(refusal(await post(shop, advance, 'no spaces', { seconds: 1 }))).toMatchObject({
      status: 400,
      code: 'idempotency_key_invalid',
    })
  })

  it('stores a fault as its answer', async () => {
    const simulated = simulatedProcessor()
    const settle = () => {
      throw new Error('the sandbox is on fire')
    }
    const burning = { ...simulated, control: { ...simulated.control, settle } }
    const shop = await openStillShop(burning)
    const { id } = await newPayment(shop, { token: 'btok_test_success' })
    const first = await post(shop, `/test-helpers/payments/${id}/settle`, 'burnt')
    expect(refusal(first)).toMatchObject({ status: 500, code: 'internal_error' })
    const again = await post(shop, `/test-helpers/payments/${id}/settle`, 'burnt')
    expect([again.text, isReplayed(again)]).toEqual([first.text, true])
  })

  it('moves the clock once as a function too', async () => {
    const { engine, sandbox } = await openStillShop()
    const caller = await engine.caller(sandbox)
    const moved = () => engine.testHelpers?.advanceClock(caller, { seconds: 60 }, { idempotency_key: 'f' })
    const first = await moved()
    expect(first?.isOk() && first.value.now).toBe(new Date(engine.clock.now()).toISOString())
    expect(await moved()).toEqual(first)
  })
})

/** A processor that is asked for its next notification, and answers when the test lets it. */
function slowToTell() {
  const asked = Promise.withResolvers<void>()
  const answered = Promise.withResolvers<void>()
  const simulated = simulatedProcessor()
  const processor: Processor = {
    ...simulated,
    async nextNotificationAt() {
      asked.resolve()
      await answered.promise
      return simulated.nextNotificationAt()
    },
  }
  return { processor, asked: asked.promise, answer: answered.resolve }
}
