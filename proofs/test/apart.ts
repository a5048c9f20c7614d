import { type Rows, readRows } from '@quittance/testing'
import { expect, onTestFinished } from 'vitest'
import { type CuttingProxy, cuttingProxy } from '../../packages/store-postgres/test/cutting-proxy.ts'
import { checkBooks } from '../src/processes/books.ts'
import type { EngineChild } from '../src/processes/engine-child.ts'
import { type Field, type FieldSettings, openField } from '../src/processes/field.ts'
import { openGround } from '../src/processes/postgres.ts'
import { settle } from '../src/processes/settle.ts'

/** A lease of 30 s lasts 6 s, and an attempt takes 3 s at most. */
const speed = 5

/** One workspace, and a process that takes payments and does nothing by itself. */
export interface Apart extends Field {
  api: EngineChild
  /** A process whose way to the database can be cut. */
  startBehindProxy(): Promise<{ child: EngineChild; proxy: CuttingProxy }>
}

export async function apart(options: Pick<FieldSettings, 'answer' | 'around'>): Promise<Apart> {
  const ground = await openGround()
  const calm = { answer: () => 200, around: (processor: Field['watched']['processor']) => processor }
  const field = await openField({ ground, processes: 0, workspaces: 1, speed, ...calm, ...options })
  onTestFinished(() => field.close())
  const api = await field.start()
  return {
    ...field,
    api,
    async startBehindProxy() {
      const proxy = await cuttingProxy(ground.connectionString)
      onTestFinished(() => proxy.close())
      return { child: await field.start({ connectionString: proxy.connectionString }), proxy }
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
export async function expectBooks(field: Apart): Promise<void> {
  await settle(field)
  await checkBooks(field)
  expect(field.findings.violations).toEqual([])
}
