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
    'a claim is as large as it was asked for, whatever a broker hands out at a time',
    (sound) => ({ claim: (limit, own) => sound.claim(Math.min(limit, 100), own) }),
  ],
  [
    'claims more than it was asked for',
    'a claim takes at most `limit`, and fewer only where nothing else can be taken',
    (sound) => ({ claim: (limit, own) => sound.claim(limit + 1, own) }),
  ],
  [
    'takes a fault of the store for nothing to claim',
    'a claim rejects while the store is away, so that nobody takes that for nothing due',
    (sound) => ({ claim: (limit, own) => sound.claim(limit, own).catch(() => []) }),
  ],
  [
    'does not hand on what has ended',
    'a claim counts no attempt that has ended, also before its outcome is recorded',
    (sound) => ({ claim: (limit) => sound.claim(limit) }),
  ],
  [
    'does not mark what is for later',
    'a claim takes for later only what is asked for, and marks it',
    claiming((claimed) => claimed.map((one) => ({ ...one, ahead: false }))),
  ],
  [
    'keeps the addresses of endpoints',
    'a claim has for each delivery the address and the secret of its own endpoint, as they are now',
    claiming((claimed, before) =>
      claimed.map((now) => {
        const known = before.find(({ endpoint }) => endpoint === now.endpoint)
        return { ...now, url: known?.url ?? now.url }
      }),
    ),
  ],
  [
    'hands out again what it has handed out',
    'a claim never hands out a delivery twice while its lease lives, however many claim at once',
    claiming((claimed, before) => (claimed.length > 0 ? claimed : before)),
  ],
  [
    'never hands out again what it has handed out',
    'a claim hands out again what it took itself and never recorded, once the lease is over',
    claiming((claimed, before) => claimed.filter(({ id }) => !before.some((one) => one.id === id))),
  ],
  [
    'leaves out what is to be released',
    'a claim hands out, as `stopped`, what a process leased that died while its endpoint was disabled',
    claiming((claimed) => claimed.filter(({ stopped }) => !stopped)),
  ],
  [
    'leaves out what it cannot sign',
    'a claim hands out, without a secret, what was sealed under one that this process does not have',
    claiming((claimed) => claimed.filter(({ secret }) => secret !== null)),
  ],
  [
    'records one of several',
    'recording what attempts came to takes attempts of several workspaces together, and none at all',
    ({ record }) => ({ record: (attempts) => record(attempts.slice(0, 1)) }),
  ],
  [
    'takes a fault of the store for recorded',
    'recording what attempts came to rejects while the store is away, and is made up for when it is repeated',
    ({ record }) => ({ record: (attempts) => record(attempts).catch(() => undefined) }),
  ],
  [
    'releases nothing',
    'releasing what was not sent lets others take it at once, and counts no attempt',
    () => ({ release: async () => undefined }),
  ],
  [
    'takes a fault of the store for released',
    'releasing what was not sent rejects while the store is away, and is made up for when it is repeated',
    ({ release }) => ({ release: (leases) => release(leases).catch(() => undefined) }),
  ],
  [
    'takes a fault of the store for nothing due',
    'waking a dispatcher does not mistake a store that is away for nothing due: the next due time rejects',
    ({ nextDueAt }) => ({ nextDueAt: () => nextDueAt().catch(() => null) }),
  ],
  [
    'keeps the next due time',
    'waking a dispatcher may be missed: the next due time and the next claim know of the delivery all the same',
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
    'waking a dispatcher happens after the store has heard of deliveries that another process filed',
    (_, { deliveries }) => ({ onReady: (wake) => deliveries.onFiled(wake) }),
    'hangs',
  ],
  [
    'wakes who has left',
    'waking a dispatcher reaches everybody who asked for it, until they ask no more',
    ({ onReady }) => ({
      onReady(wake) {
        onReady(wake)
        return () => undefined
      },
    }),
  ],
  [
    'wakes who came last',
    'waking a dispatcher reaches everybody who asked for it, until they ask no more',
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
    'waking a dispatcher is over when the queue is closed, also for who never left, and what was filed stays filed',
    () => ({ close: async () => undefined }),
  ],
  [
    'gives to who has left',
    'what is filed where a dispatcher has room has to be claimed once it has left',
    ({ giveFiled }) => ({
      giveFiled(book) {
        giveFiled?.(book)
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
