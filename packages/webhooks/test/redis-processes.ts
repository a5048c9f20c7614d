import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sqliteStore } from '@quittance/store-sqlite'
import { Redis } from 'ioredis'
import { onTestFinished } from 'vitest'
import type { OpenQueue } from '../src/index.ts'
import { redisQueue } from '../src/redis.ts'
import { type Service, service } from './service.ts'

export interface Process extends Service {
  queue: OpenQueue
}

/** Two engines on one SQLite file, each with a Redis client of its own, as in two processes. */
export async function twoProcesses(url: string, prefix: string): Promise<[Process, Process]> {
  const folder = mkdtempSync(join(tmpdir(), 'quittance-queue-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const filename = join(folder, 'rows.db')
  return [await process({ filename, url, prefix }), await process({ filename, url, prefix })]
}

async function process({ filename, url, prefix }: Record<'filename' | 'url' | 'prefix', string>) {
  const store = sqliteStore({ filename })
  onTestFinished(() => store.close())
  return { ...(await service({ store })), queue: redisQueue(redisClient(url), { prefix }) }
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
