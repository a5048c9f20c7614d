import { describe, expect, it } from 'vitest'
import { type Apart, apart, expectBooks, pay, receipts, rowsOf } from './apart.ts'

const patience = { timeout: 20_000 }

const deliveryOf = async (fleet: Apart) => (await rowsOf(fleet)).deliveries[0]

/** Succeeded, by one attempt: what another process began and did not finish is not counted. */
const once = { status: 'succeeded', attempt_count: 1, last_response_status: 200 }

/** What a dispatcher logs whose outcome came too late. */
const lost = expect.stringContaining('a delivery lease was lost')

/** A receiver that keeps the first post waiting for its answer. */
function holdingFirst() {
  const held = Promise.withResolvers<number>()
  return { answer: (n: number) => (n === 1 ? held.promise : 200), release: held.resolve }
}

describe('a dispatcher in a process of its own', () => {
  it('that is killed in the middle of a delivery leaves it to another, after its lease', async () => {
    const { answer, release } = holdingFirst()
    const fleet = await apart({ answer })
    const [first, second] = [await fleet.start(), await fleet.start()]
    await first.ask('work', null)
    await pay(fleet)
    await expect.poll(() => receipts(fleet), patience).toEqual([1])
    const { lease_until } = (await deliveryOf(fleet)) ?? {}
    await first.kill()
    await second.ask('work', null)
    await expect.poll(() => receipts(fleet), patience).toEqual([2])
    expect(Date.parse(lease_until ?? '')).toBeLessThanOrEqual(fleet.clock.real())
    await expect.poll(() => deliveryOf(fleet), patience).toMatchObject(once)
    release(200)
    await expectBooks(fleet)
  })

  it('that is frozen past its lease records nothing over its successor, who is still sending', async () => {
    const [first_post, second_post] = [Promise.withResolvers<number>(), Promise.withResolvers<number>()]
    const answers = [first_post, second_post]
    const fleet = await apart({ answer: (n) => answers[n - 1]?.promise ?? 200 })
    const [sleeper, successor] = [await fleet.start(), await fleet.start()]
    await sleeper.ask('work', null)
    await pay(fleet)
    await expect.poll(() => receipts(fleet), patience).toEqual([1])
    const before = await deliveryOf(fleet)
    sleeper.freeze()
    await successor.ask('work', null)
    await expect.poll(() => receipts(fleet), patience).toEqual([2])
    first_post.resolve(503)
    sleeper.thaw()
    await expect.poll(() => sleeper.ask('logged', null), patience).toContainEqual(lost)
    second_post.resolve(200)
    await expect.poll(() => deliveryOf(fleet), patience).toMatchObject(once)
    expect((await deliveryOf(fleet))?.lease).toBeGreaterThan(before?.lease ?? 0)
    await expectBooks(fleet)
  })

  it('that is cut off from the database until its lease is over leaves the delivery to another', async () => {
    const { answer, release } = holdingFirst()
    const fleet = await apart({ answer })
    const { child: lonely, proxy } = await fleet.startBehindProxy()
    await lonely.ask('work', null)
    await pay(fleet)
    await expect.poll(() => receipts(fleet), patience).toEqual([1])
    proxy.sever()
    release(200)
    const other = await fleet.start()
    await other.ask('work', null)
    await expect.poll(() => receipts(fleet), patience).toEqual([2])
    await expect.poll(() => deliveryOf(fleet), patience).toMatchObject(once)
    await other.ask('rest', null)
    proxy.mend()
    await pay(fleet)
    await expect.poll(() => receipts(fleet), patience).toEqual([2, 1])
    await expectBooks(fleet)
  })

  it('that is cut off for a moment records what came of its attempt, which nobody repeats', async () => {
    const { answer, release } = holdingFirst()
    const fleet = await apart({ answer })
    const { child, proxy } = await fleet.startBehindProxy()
    await child.ask('work', null)
    await pay(fleet)
    await expect.poll(() => receipts(fleet), patience).toEqual([1])
    proxy.sever()
    release(200)
    await expect.poll(() => proxy.severed, patience).toBeGreaterThan(2)
    proxy.mend()
    await expect.poll(() => deliveryOf(fleet), patience).toMatchObject(once)
    await expectBooks(fleet)
    expect(receipts(fleet)).toEqual([1])
  })
})

describe('runOnce', () => {
  it('that is killed in the middle delays what it was sending, and the next one sends it all', async () => {
    const held = Promise.withResolvers<number>()
    const fleet = await apart({ answer: (n) => (n <= 10 ? held.promise : 200) })
    for (let count = 0; count < 25; count += 1) await pay(fleet)
    const [killed, next] = [await fleet.start(), await fleet.start()]
    const cut_short = expect(killed.ask('runOnce', 60_000)).rejects.toThrow('has ended')
    await expect.poll(() => receipts(fleet), patience).toHaveLength(10)
    await killed.kill()
    await cut_short
    held.resolve(200)
    const open = async () => {
      await next.ask('runOnce', 60_000)
      return (await rowsOf(fleet)).deliveries.filter(({ status }) => status === 'pending').length
    }
    await expect.poll(open, patience).toBe(0)
    const { deliveries } = await rowsOf(fleet)
    expect(deliveries.map(({ attempt_count }) => attempt_count)).toEqual(Array(25).fill(1))
    expect(receipts(fleet)).toHaveLength(25)
    await expectBooks(fleet)
    expect(receipts(fleet).reduce((sum, count) => sum + count)).toBe(35)
  })
})
