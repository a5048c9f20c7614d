import { type Rows, readRows } from '@quittance/testing'
import { expect, onTestFinished } from 'vitest'
import { type CuttingProxy, cuttingProxy } from '../../packages/store-postgres/test/cutting-proxy.ts'
import { checkBooks } from '../src/processes/books.ts'
import type { EngineChild } from '../src/processes/engine-child.ts'
import { type Fleet, type FleetSettings, openFleet } from '../src/processes/fleet.ts'
import { openDatabase } from '../src/processes/postgres.ts'
import { settle } from '../src/processes/settle.ts'

/** A lease of 30 s lasts 6 s, and an attempt takes 3 s at most. */
const speed = 5

/** One workspace, and a process that takes payments and does nothing by itself. */
export interface Apart extends Fleet {
  api: EngineChild
  /** A process whose way to the database can be cut. */
  startBehindProxy(): Promise<{ child: EngineChild; proxy: CuttingProxy }>
}

export async function apart(options: Pick<FleetSettings, 'answer' | 'around'>): Promise<Apart> {
  const database = await openDatabase()
  const calm = { answer: () => 200, around: (processor: Fleet['watched']['processor']) => processor }
  const fleet = await openFleet({ database, processes: 0, workspaces: 1, speed, ...calm, ...options })
  onTestFinished(() => fleet.close())
  const api = await fleet.start()
  return {
    ...fleet,
    api,
    async startBehindProxy() {
      const proxy = await cuttingProxy(database.connectionString)
      onTestFinished(() => proxy.close())
      return { child: await fleet.start({ connectionString: proxy.connectionString }), proxy }
    },
  }
}

let keys = 0

/** Takes a payment, which files one event. */
export async function pay({ api, workspaces }: Apart, token = 'tok_test_visa'): Promise<void> {
  keys += 1
  const [workspace] = workspaces
  const { status, body } = await api.ask('execute', {
    operation: 'payments.create',
    workspace: workspace?.id ?? '',
    key: `key-${keys}`,
    input: { amount: 1_000, currency: 'USD', payment_method: workspace?.card(token) },
  })
  expect(status, body).toBe(200)
}

export async function rowsOf({ store, workspaces }: Apart): Promise<Rows> {
  return readRows(store, { workspace: workspaces[0]?.id ?? '', livemode: false })
}

/** How often each event was received. */
export function receipts({ receiver }: Apart): number[] {
  return [...receiver.received.values()].map((bodies) => bodies.length)
}

/** Everything that must hold once nothing waits. */
export async function expectBooks(fleet: Apart): Promise<void> {
  await settle(fleet)
  await checkBooks(fleet)
  expect(fleet.findings.violations).toEqual([])
}
