import type { Engine, LeasedDelivery } from '@quittance/core'
import { type DeliveryQueue, type OpenQueue, storeQueue } from '@quittance/webhooks'
import { it } from 'vitest'
import { describeQueue } from '../src/describe-queue.ts'
import { expectHeld, expectSeen, sentenceOf } from './sentences.ts'

/** What a queue does otherwise than the store's own, which it is built on. */
type Mistake = (sound: DeliveryQueue, engine: Engine) => Partial<DeliveryQueue>

/** Each with the sentence of the contract that it breaks. */
const mistakes: readonly [what: string, breaks: string, mistake: Mistake, hangs?: 'hangs'][] = [
  [
    'claims in batches of its own',
    'a claim takes as many as `limit` says, however few a broker hands out at a time',
    (sound) => ({ claim: (limit, own) => sound.claim(Math.min(limit, 100), own) }),
  ],
  [
    'claims more than it was asked for',
    'a claim takes at most `limit` deliveries, and fewer only if nothing else can be taken',
    (sound) => ({ claim: (limit, own) => sound.claim(limit + 1, own) }),
  ],
  [
    'takes a fault of the store for nothing to claim',
    'a claim rejects while the store is away, instead of finding nothing due',
    (sound) => ({ claim: (limit, own) => sound.claim(limit, own).catch(() => []) }),
  ],
  [
    'does not hand on what has ended',
    'a claim does not count the attempts in `ended`, even before their outcomes are recorded',
    (sound) => ({ claim: (limit) => sound.claim(limit) }),
  ],
  [
    'does not mark what is for later',
    'a claim takes deliveries `ahead` only as the request allows, and marks them',
    claiming((claimed) => claimed.map((one) => ({ ...one, ahead: false }))),
  ],
  [
    'keeps the addresses of endpoints',
    'a claim returns each delivery with the URL and the secret of its own endpoint, as they are now',
    claiming((claimed, before) =>
      claimed.map((now) => {
        const known = before.find(({ endpoint }) => endpoint === now.endpoint)
        return { ...now, url: known?.url ?? now.url }
      }),
    ),
  ],
  [
    'hands out again what it has handed out',
    'a claim never returns a delivery again while its lease lives, however many claims run at once',
    claiming((claimed, before) => (claimed.length > 0 ? claimed : before)),
  ],
  [
    'never hands out again what it has handed out',
    'a claim returns again what it took itself and never recorded, once the lease is over',
    claiming((claimed, before) => claimed.filter(({ id }) => !before.some((one) => one.id === id))),
  ],
  [
    'leaves out what is to be released',
    'a claim returns as `stopped` what a process that died had leased before the endpoint was disabled',
    claiming((claimed) => claimed.filter(({ stopped }) => !stopped)),
  ],
  [
    'leaves out what it cannot sign',
    'a claim returns with `secret` null what this process cannot unseal',
    claiming((claimed) => claimed.filter(({ secret }) => secret !== null)),
  ],
  [
    'records one of several',
    'recording the outcomes of attempts accepts attempts of several workspaces at once, and an empty list',
    ({ record }) => ({ record: (attempts) => record(attempts.slice(0, 1)) }),
  ],
  [
    'takes a fault of the store for recorded',
    'recording the outcomes of attempts rejects while the store is away, and takes effect when it is repeated',
    ({ record }) => ({ record: (attempts) => record(attempts).catch(() => undefined) }),
  ],
  [
    'releases nothing',
    'releasing what was not sent lets others take it at once, and does not count as an attempt',
    () => ({ release: async () => undefined }),
  ],
  [
    'takes a fault of the store for released',
    'releasing what was not sent rejects while the store is away, and takes effect when it is repeated',
    ({ release }) => ({ release: (leases) => release(leases).catch(() => undefined) }),
  ],
  [
    'takes a fault of the store for nothing due',
    'waking a dispatcher relies on a `nextDueAt` that rejects while the store is away, instead of finding nothing due',
    ({ nextDueAt }) => ({ nextDueAt: () => nextDueAt().catch(() => null) }),
  ],
  [
    'keeps the next due time',
    'waking a dispatcher may be missed: `nextDueAt` and the next claim find the delivery all the same',
    ({ nextDueAt }) => {
      let kept: Promise<string | null> | undefined
      return { nextDueAt: () => (kept ??= nextDueAt()) }
    },
  ],
  [
    'wakes nobody',
    'waking a dispatcher happens after deliveries were filed, when they can be claimed',
    () => ({ onReady: () => () => undefined }),
    'hangs',
  ],
  [
    'does not hear what the store hears',
    'waking a dispatcher happens after the store hears of deliveries that another process has filed',
    (_, { deliveries }) => ({ onReady: (wake) => deliveries.onFiled(wake) }),
    'hangs',
  ],
  [
    'wakes who has left',
    'waking a dispatcher reaches every listener until it leaves',
    ({ onReady }) => ({
      onReady(wake) {
        onReady(wake)
        return () => undefined
      },
    }),
  ],
  [
    'wakes who came last',
    'waking a dispatcher reaches every listener until it leaves',
    ({ onReady }) => {
      let leave = () => {}
      return {
        onReady(wake) {
          leave()
          leave = onReady(wake)
          return leave
        },
      }
    },
    'hangs',
  ],
  [
    'goes on when it is closed',
    'waking a dispatcher ends when the queue is closed, even for listeners that never left, and loses nothing that was filed',
    () => ({ close: async () => undefined }),
  ],
  [
    'gives to who has left',
    'what is filed while a dispatcher has room has to be claimed once the dispatcher has left',
    ({ giveFiled }) => ({
      giveFiled(book) {
        giveFiled(book)
        return () => undefined
      },
    }),
  ],
]

function claiming(
  change: (claimed: LeasedDelivery[], before: LeasedDelivery[]) => LeasedDelivery[],
): Mistake {
  return ({ claim }) => {
    const before: LeasedDelivery[] = []
    return {
      async claim(limit, own) {
        const changed = change(await claim(limit, own), before)
        before.push(...changed)
        return changed
      },
    }
  }
}

it.each(mistakes)('the contract suite sees a queue that %s', async (_, breaks, mistake, hangs) => {
  const open: OpenQueue = (engine) => {
    const sound = storeQueue(engine)
    return { ...sound, ...mistake(sound, engine) }
  }
  await expectSeen(
    sentenceOf(() => describeQueue('mistaken', open), breaks),
    hangs,
  )
  await expectHeld(sentenceOf(() => describeQueue('sound', storeQueue), breaks))
})
