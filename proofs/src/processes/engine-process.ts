/** An engine in a process of its own, which does what its parent asks. */
import { createHash } from 'node:crypto'
import { type Caller, ok, type Processor, type Reconciler, startReconciler } from '@quittance/core'
import { type Dispatcher, runOnce, startDispatcher } from '@quittance/webhooks'
import { redisQueue } from '@quittance/webhooks/redis'
import { Redis } from 'ioredis'
import type { EngineCalls, ParentCalls, ProcessSettings, Request } from './calls.ts'
import { movableClock } from './clock.ts'
import { openEngine } from './engine.ts'
import { openLine } from './line.ts'

const settings: ProcessSettings = JSON.parse(process.argv[2] ?? '{}')
const clock = movableClock(settings.pace)
const logged: string[] = []
const log = (message: string, fields?: object) => void logged.push(`${message} ${JSON.stringify(fields)}`)
const callers = new Map<string, Promise<Caller>>()
let requests = 0
let working: { dispatcher: Dispatcher; reconciler: Reconciler } | undefined

const calls = {
  execute,
  work() {
    const queue = settings.redis === undefined ? {} : { queue: redisQueue(openRedis(settings.redis)) }
    working = { dispatcher: startDispatcher(engine, queue), reconciler: startReconciler(engine) }
  },
  async rest() {
    await Promise.all([working?.dispatcher.stop(), working?.reconciler.stop()])
    working = undefined
  },
  runOnce: (budgetMs: number) => runOnce(engine, { budgetMs }),
  reconcile: () => engine.reconcile(),
  advance: (by_ms: number) => clock.advance(by_ms),
  logged: () => logged,
} satisfies EngineCalls

const parent = openLine<ParentCalls>(process, calls)
const { engine } = openEngine(settings, {
  processor: sharedProcessor(),
  clock,
  logger: { info: log, warn: log, error: log },
})

process.on('disconnect', () => process.exit())
process.on('unhandledRejection', (fault) => void parent.ask('trouble', `unhandled: ${fault}`))
await parent.ask('ready', null)

async function execute({ operation, workspace, key, input }: Request) {
  requests += 1
  const { status, body, code } = await engine.execute({
    operation,
    caller: await callerIn(workspace),
    input: ok(input),
    request_id: `req_${process.pid}x${requests}`,
    idempotency_key: key,
    fingerprint: createHash('sha256')
      .update(`${operation} ${JSON.stringify(input)}`)
      .digest('hex'),
  })
  return { status, body, code }
}

/** Requested once per workspace; a failure is not cached. */
function callerIn(workspace: string): Promise<Caller> {
  const known = callers.get(workspace)
  if (known !== undefined) return known
  const caller = engine.caller({ workspace, livemode: false })
  callers.set(workspace, caller)
  caller.catch(() => callers.delete(workspace))
  return caller
}

function sharedProcessor(): Processor {
  return {
    types: ['card'],
    verify: (request) => parent.ask('verify', request),
    charge: (request) => parent.ask('charge', request),
    refund: (request) => parent.ask('refund', request),
    void: (request) => parent.ask('void', request),
    lookup: (request) => parent.ask('lookup', request),
    notifications: (request) => parent.ask('notifications', request),
    nextNotificationAt: () => parent.ask('nextNotificationAt', null),
  }
}

function openRedis(url: string): Redis {
  const redis = new Redis(url, { lazyConnect: true })
  redis.on('error', () => {})
  return redis
}
