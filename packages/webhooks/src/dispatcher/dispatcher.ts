import { AsyncLocalStorage } from 'node:async_hooks'
import { type Engine, keepingAlive, option, refuseWrongOptions } from '@quittance/core'
import { type DeliveryQueue, type OpenQueue, storeQueue } from '../queue.ts'
import { createSender, type Sender } from '../sender/sender.ts'
import { DispatchLoop } from './dispatch-loop.ts'
import { guardQueue, guardSender } from './guarded-ports.ts'

export interface DispatcherOptions {
  /** Decides which deliveries it takes and when it wakes. Default: `storeQueue`, the engine's store. */
  queue?: OpenQueue | undefined
  /**
   * The most attempts at a time, over all workspaces; at most ten per workspace. Default 50. Attempts without a response
   * after a second do not count, up to eight times as many.
   */
  concurrency?: number | undefined
  /** How often it sweeps for deliveries that nothing woke it for, in ms. Default 1 000. */
  pollMs?: number | undefined
  /** Default: its own, closed with it. A sender passed in stays open. */
  sender?: Sender | undefined
}

export interface Dispatcher {
  /** Sends all that is due now; resolves once nothing due is left and everything sent is recorded, or once stopped. */
  drain(): Promise<void>
  /**
   * Stops claiming, waits for commits that have leased deliveries to it and for the attempts on the wire (15 s at most),
   * and records them. If the store fails, that is retried for 30 s: close the engine afterwards. Other deliveries stay
   * pending, for the next dispatcher.
   */
  stop(): Promise<void>
}

/**
 * Sends an engine's deliveries until it is stopped. Any number of dispatchers, in any number of processes, may
 * run on one store. Faults of the store are logged and retried. It does not keep the host's process alive.
 */
export function startDispatcher(engine: Engine, options: DispatcherOptions = {}): Dispatcher {
  const { loop, queue, close } = open(engine, options)
  // Commits call it in the contexts of their requests: there a tracer would send one request's headers with another's events.
  const inContext = AsyncLocalStorage.snapshot()
  const ignoreReady = queue.onReady(() => inContext(() => loop.wake()))
  const ignoreFiled = queue.giveFiled((count) => {
    const booked = loop.book(count)
    return (
      booked && {
        send: (deliveries) => inContext(() => booked.send(deliveries)),
        release: () => inContext(() => booked.release()),
      }
    )
  })
  const drain = () => inContext(() => keepingAlive(engine.clock, () => loop.drain()))
  const leave = engine.addWorker({ drain })
  loop.wake()
  let stopped: Promise<void> | undefined
  return {
    drain,
    stop() {
      ignoreReady()
      ignoreFiled()
      leave()
      stopped ??= keepingAlive(engine.clock, () => loop.stop().then(close))
      return stopped
    },
  }
}

/**
 * Sends what is due and returns, for cron jobs and serverless functions. Claims until nothing due is left or
 * `budgetMs` are over. Attempts still on the wire (15 s at most) then end and are recorded. Rejects if deliveries
 * cannot be claimed.
 */
export async function runOnce(
  engine: Engine,
  options: DispatcherOptions & { budgetMs: number },
): Promise<void> {
  const { budgetMs, ...dispatching } = { ...options }
  refuseWrongOptions('runOnce', { budgetMs }, { budgetMs: option.required(option.positive) })
  const opened = open(engine, dispatching)
  await keepingAlive(engine.clock, () => runOpened(engine, opened, budgetMs))
}

async function runOpened(engine: Engine, { loop, close }: Opened, budget_ms: number): Promise<void> {
  const over = Promise.withResolvers<void>()
  const cancel = engine.clock.after(budget_ms, over.resolve)
  const drained = loop.drain()
  try {
    await Promise.race([drained, over.promise])
  } finally {
    cancel()
    await loop.stop()
    await close()
  }
  // Rejects even if the claim that failed was still under way when the budget was over.
  await drained
}

interface Opened {
  loop: DispatchLoop
  queue: DeliveryQueue
  close(): Promise<void>
}

function open(engine: Engine, options: DispatcherOptions): Opened {
  if (!engine?.deliveries)
    throw new TypeError('A dispatcher is that of an engine: `startDispatcher(engine)`.')
  refuseWrongOptions('a dispatcher', options, {
    queue: option.call,
    concurrency: option.count,
    pollMs: option.positive,
    sender: option.port('send', 'close'),
  })
  if (engine.isClosed()) throw new Error('The engine has been closed.')
  const { concurrency = 50, pollMs: poll_ms = 1_000 } = options
  const { clock } = engine
  const queue = options.queue === undefined ? storeQueue(engine) : guardQueue(options.queue(engine), clock)
  const sender = options.sender === undefined ? senderFor(engine) : guardSender(options.sender, clock)
  return {
    loop: new DispatchLoop({ engine, queue, sender, concurrency, poll_ms }),
    queue,
    async close() {
      try {
        await queue.close()
      } finally {
        await sender.close()
      }
    },
  }
}

function senderFor({ allowInsecureDestinations, clock }: Engine): Sender {
  return createSender({
    allowInsecureDestinations,
    after: (delay_ms, wake) => clock.after(delay_ms, wake),
  })
}
