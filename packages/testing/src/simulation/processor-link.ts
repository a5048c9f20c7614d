import type { NotificationPage, Processor } from '@quittance/core'
import { withOwn } from '../ports/around.ts'
import type { Bank } from './bank.ts'
import { strikes } from './faults.ts'
import type { SimulatedProcess } from './process.ts'
import { unanswered } from './scheduler.ts'
import { witnessedProcessor } from './witnessed-processor.ts'
import type { World } from './world.ts'

/** The processor as one process reaches it, over a network that breaks as the history's rates say. */
export function processorLink(world: World, process: SimulatedProcess, bank: Bank): Processor {
  const processor = witnessedProcessor(bank, world.witness)
  const call = <Answer>(what: string, run: () => PromiseLike<Answer>): Promise<Answer> =>
    world.scheduler.hold(process, () => overNetwork(world, what, run))
  const ask = <Answer>(what: string, request: Asked, run: () => PromiseLike<Answer>): Promise<Answer> =>
    call(what, () => heard({ world, by: process, what }, request, run))
  return withOwn(processor, {
    verify: (request) => call('verify', () => processor.verify(request)),
    charge: (request) => ask('charge', request, () => processor.charge(request)),
    refund: (request) => ask('refund', request, () => processor.refund(request)),
    void: (request) => ask('void', request, () => processor.void(request)),
    lookup: (request) => ask('lookup', request, () => processor.lookup(request)),
    notifications: (request) =>
      call('notifications', async () => {
        const page = await processor.notifications(request)
        const may_repeat = world.rates.notifications_repeat > 0 && request.after !== null
        const again = may_repeat ? await processor.notifications({ ...request, after: null }) : null
        return told(world, process, disturbed(world, request.after, { page, again }))
      }),
    nextNotificationAt: () => call('nextNotificationAt', () => processor.nextNotificationAt()),
  })
}

/** The parts of a request to the processor that the trace shows. */
interface Asked {
  key: string
  amount?: number
  currency?: string
  token?: string
}

/** Traced each time the processor gets the request, whether or not its answer arrives. */
async function heard<Answer>(
  { world, by, what }: { world: World; by: SimulatedProcess; what: string },
  { key, amount, currency, token }: Asked,
  run: () => PromiseLike<Answer>,
): Promise<Answer> {
  const answer = await run()
  world.trace.note(() => {
    const money = amount === undefined ? '' : ` of ${amount} ${currency}`
    const asked = `${what} ${idIn(key)}${money}${token === undefined ? '' : ` with ${token}`}`
    return `  the processor hears ${by.name}: ${asked}; it says ${JSON.stringify(answer)}`
  })
  return answer
}

function told(world: World, to: SimulatedProcess, page: NotificationPage): NotificationPage {
  const { notifications } = page
  if (notifications.length > 0)
    world.trace.note(() => {
      const all = notifications.map(({ key, state }) => `${idIn(key)} is ${state.kind}`)
      return `  the processor tells ${to.name}: ${all.join(', ')}`
    })
  return page
}

/** The id of the payment or refund of a key. */
function idIn(key: string): string | undefined {
  return key.split('.').at(-1)
}

async function overNetwork<Answer>(
  world: World,
  what: string,
  run: () => PromiseLike<Answer>,
): Promise<Answer | typeof unanswered> {
  if (strikes(world, 'processor_silent_before')) return unanswered
  if (strikes(world, 'processor_breaks_before')) throw new Error('503')
  let answer = await run()
  // The network sent it again because the first answer was lost.
  if (strikes(world, 'processor_hears_twice')) answer = await run()
  if (strikes(world, 'processor_silent_after')) {
    world.trace.note(() => `  the processor did ${what} and never answers`)
    return unanswered
  }
  if (strikes(world, 'processor_breaks_after')) {
    world.trace.note(() => `  the processor did ${what} and answered 502`)
    throw new Error('502')
  }
  return answer
}

/** The notifications late, again from the beginning, or in another order. */
function disturbed(
  world: World,
  after: string | null,
  { page, again }: { page: NotificationPage; again: NotificationPage | null },
): NotificationPage {
  if (page.notifications.length > 0 && strikes(world, 'notifications_late'))
    return { notifications: [], cursor: after }
  const notifications = [...page.notifications]
  if (again !== null && strikes(world, 'notifications_repeat')) notifications.unshift(...again.notifications)
  if (notifications.length > 1 && strikes(world, 'notifications_shuffled'))
    notifications.sort(() => world.random.below(3) - 1)
  if (notifications.length > 1) world.witness.saw('a batch of notifications')
  return { ...page, notifications }
}
