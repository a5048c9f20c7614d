import { createHmac } from 'node:crypto'
import { join } from 'node:path'
import type { Engine, Scope } from '@quittance/core'
import { sqliteStore } from '@quittance/store-sqlite'
import { startDispatcher } from '@quittance/webhooks'
import { Pool } from 'undici'
import { startChild } from './child.ts'
import { elapsed, inParallel, perSecond, type Row } from './report.ts'
import { withFolder } from './scratch.ts'
import { must, openShop } from './shop.ts'

const count = 5_000

/**
 * Signed webhooks drained from SQLite, everything synced, against a bare loop that signs and posts the same
 * bytes and keeps nothing. Ten run at a time per workspace, so fifty need five workspaces.
 */
export function deliveries(): Promise<Row[]> {
  return withFolder(async (folder) => {
    const receiver = await startChild<{ port: number }>('./receiver.ts', [])
    const url = `http://127.0.0.1:${receiver.ready.port}/hook`
    const rows: Row[] = []
    for (const [concurrency, workspaces] of [
      [10, 1],
      [50, 5],
    ] as const) {
      const bare_ms = await bareLoop(url, concurrency)
      const drained_ms = await drained(join(folder, `deliveries-${concurrency}.db`), {
        url,
        workspaces,
        concurrency,
      })
      rows.push({ what: `bare loop, ${concurrency} at a time`, figure: perSecond(count, bare_ms) })
      rows.push({
        what: `drained from SQLite, ${concurrency} at a time`,
        figure: perSecond(count, drained_ms),
        ratio: bare_ms / drained_ms,
      })
    }
    await receiver.stop()
    return rows
  })
}

async function bareLoop(url: string, concurrency: number): Promise<number> {
  const pool = new Pool(new URL(url).origin, { connections: concurrency })
  const body = JSON.stringify({ object: 'event', data: { object: { text: 'x'.repeat(1_100) } } })
  const post = async () => {
    const t = Math.floor(Date.now() / 1000)
    const digest = createHmac('sha256', 'whsec_benchmark').update(`${t}.${body}`).digest('hex')
    const headers = { 'content-type': 'application/json', 'service-signature': `t=${t},v1=${digest}` }
    const answer = await pool.request({ method: 'POST', path: '/hook', headers, body })
    await answer.body.dump()
  }
  await inParallel(500, concurrency, post)
  const took_ms = await elapsed(() => inParallel(count, concurrency, post))
  await pool.close()
  return took_ms
}

interface Draining {
  url: string
  workspaces: number
  concurrency: number
}

async function drained(filename: string, { url, workspaces, concurrency }: Draining): Promise<number> {
  const { engine, scope } = await openShop(sqliteStore({ filename }))
  const scopes: Scope[] = [scope]
  while (scopes.length < workspaces) {
    const { id } = await engine.admin.workspaces.create({ name: 'Another' })
    scopes.push({ workspace: id, livemode: false })
  }
  for (const one of scopes) await fileEvents(engine, one, { url, events: count / workspaces })
  const dispatcher = startDispatcher(engine, { concurrency })
  const took_ms = await elapsed(() => dispatcher.drain())
  await dispatcher.stop()
  await engine.close()
  return took_ms
}

/** Events as they come in life: each from a payment, to the workspace's one endpoint. */
async function fileEvents(
  engine: Engine,
  scope: Scope,
  { url, events }: { url: string; events: number },
): Promise<void> {
  const caller = await engine.caller(scope)
  must(await engine.webhook_endpoints.create(caller, { url, enabled_events: ['*'] }))
  const session = async () => {
    const created = must(await engine.payment_method_sessions.create(caller, {}))
    const browser = { ...caller, key: 'publishable' as const, scopes: ['payment_methods:tokenize' as const] }
    const billing_details = { name: 'Customer', postal_code: '94107' }
    must(
      await engine.payment_method_sessions.confirm(browser, {
        id: created.id,
        card: { token: 'tok_test_visa' },
        billing_details,
      }),
    )
    return created.id
  }
  await inParallel(events, 64, async (index) => {
    const input = {
      amount: 1_000,
      currency: 'USD' as const,
      payment_method_session: await session(),
      metadata: { text: 'x'.repeat(480) },
    }
    must(await engine.payments.create(caller, input, { idempotency_key: `key${index}` }))
  })
}
