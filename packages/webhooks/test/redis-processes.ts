import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sqliteStore } from '@quittance/store-sqlite'
import { Redis } from 'ioredis'
import { expect, onTestFinished } from 'vitest'
import type { DeliveryQueue, OpenQueue } from '../src/index.ts'
import { redisQueue } from '../src/redis.ts'
import { type Service, service, standingClock } from './service.ts'

export interface Process extends Service {
  queue: OpenQueue
}

/** Two engines on one SQLite file, each with a Redis client of its own, as in two processes. */
export async function twoProcesses(url: string, prefix: string): Promise<[Process, Process]> {
  const folder = mkdtempSync(join(tmpdir(), 'quittance-queue-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const filename = join(folder, 'rows.db')
  const clock = standingClock()
  const open = async () => {
    const store = sqliteStore({ filename })
    onTestFinished(() => store.close())
    return { ...(await service({ store, clock })), queue: redisQueue(redisClient(url), { prefix }) }
  }
  return [await open(), await open()]
}

/** A client as a host has it, that connects when it is used. */
export function redisClient(url: string): Redis {
  const redis = new Redis(url, { lazyConnect: true })
  redis.on('error', () => {})
  onTestFinished(() => redis.disconnect())
  return redis
}

/** As a process does that files and dispatches nothing. */
export function announcing({ engine, queue }: Process): void {
  const opened = queue(engine)
  onTestFinished(() => opened.close())
}

/** Resolves once the queue listens. */
export async function firstWake(queue: DeliveryQueue): Promise<void> {
  const woken = Promise.withResolvers<void>()
  const ignore = queue.onReady(woken.resolve)
  await woken.promise
  ignore()
}

/** A queue whose commits and timers the test sets off, and all that its channel hears. */
export async function announcer(url: string) {
  const { engine, logged } = await service()
  const channel = `test-${randomUUID()}:deliveries`
  const heard: string[] = []
  const subscriber = redisClient(url)
  subscriber.on('message', (_channel, message) => heard.push(message))
  await subscriber.subscribe(channel)
  const wakers: (() => void)[] = []
  const timers: (() => void)[] = []
  const queue = redisQueue(redisClient(url), { prefix: channel.replace(':deliveries', '') })({
    ...engine,
    clock: { ...engine.clock, after: (_delay_ms, wake) => cancelOf(timers, wake) },
    deliveries: { ...engine.deliveries, onFiled: (wake) => cancelOf(wakers, wake) },
  })
  onTestFinished(() => queue.close())
  await firstWake(queue)
  return {
    ...{ queue, timers, heard, logged },
    file() {
      for (const wake of wakers) wake()
    },
    /** Resolves when the message was heard. */
    async publish(message: string) {
      await redisClient(url).publish(channel, message)
      await expect.poll(() => heard).toContain(message)
    },
  }
}

function cancelOf(wakers: (() => void)[], wake: () => void): () => void {
  wakers.push(wake)
  return () => {}
}
