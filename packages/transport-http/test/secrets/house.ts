import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Store } from '@quittance/core'
import { fileLedger, simulatedProcessor } from '@quittance/processor-simulator'
import { runOnce } from '@quittance/webhooks'
import { onTestFinished } from 'vitest'
import { ledgerConnector } from '../../../connectors/src/ledger-connector.ts'
import { hostedPages } from '../../../pages/src/hosted-pages.ts'
import { createHandler } from '../../src/handler.ts'
import { toNodeListener } from '../../src/node.ts'
import { openOffice } from '../back-office-server.ts'
import { listen } from '../echo.ts'
import type { Send } from '../shop.ts'

export const engine_secret = 'the secret of this engine, kept by its host'

/** Everything that a deployment runs, with what it says and what it answers kept to be searched. */
export async function openHouse({ store, folder }: { store: Store; folder: string }) {
  const answers: string[] = []
  /** Hosted pages. */
  const shown: string[] = []
  const statuses = new Set<number>()
  const ledger_file = join(folder, 'processor.jsonl')
  let is_broken = false
  const whole = <Answer>(answer: () => Answer): Answer => {
    if (is_broken) throw new Error('the disk is full')
    return answer()
  }
  const office = await openOffice({
    store: {
      ...store,
      findApiKey: async (hash) => whole(() => store.findApiKey(hash)),
      read: async (scope, rows) => whole(() => store.read(scope, rows)),
      transaction: (scope, work) => whole(() => store.transaction(scope, work)),
    },
    secret: engine_secret,
    processors: {
      sandbox: simulatedProcessor({ ledger: fileLedger(ledger_file) }),
      live: simulatedProcessor(),
    },
    connectors: { ledger: ledgerConnector() },
    allowInsecureDestinations: true,
    testHelpers: true,
    on: {
      'refund.succeeded': () => {
        throw new Error('the host has a fault of its own')
      },
    },
  })
  const pages = await listen(
    toNodeListener(createHandler(office.engine, { pages: hostedPages(office.engine) })),
  )
  const send: Send = async (...request) => {
    const reply = await office.send(...request)
    statuses.add(reply.status)
    answers.push(reply.text)
    return reply
  }
  const call: typeof office.call = async (...request) => {
    const reply = await office.call<never>(...request)
    answers.push(reply.text)
    return reply
  }
  return {
    ...office,
    send,
    call,
    statuses,
    answers,
    /** Of hosted pages that were opened. */
    addresses: [] as string[],
    shown,
    ledger_file,
    receiver: await mirror(),
    /** What is asked for meanwhile meets a database that fails. */
    async withoutDatabase(ask: () => Promise<void>) {
      is_broken = true
      await ask().finally(() => {
        is_broken = false
      })
    },
    /** Sends what is due, and does what time asks for. */
    async work() {
      await office.engine.reconcile()
      await runOnce(office.engine, { budgetMs: 10_000 })
    },
    /** Opens a hosted page, or sends its form. */
    async page(url: string, form?: Record<string, string>) {
      const { pathname, search } = new URL(url)
      const posted = form === undefined ? {} : { method: 'POST', body: new URLSearchParams(form) }
      const response = await fetch(pages.url + pathname + search, { redirect: 'manual', ...posted })
      const text = await response.text()
      shown.push(text)
      return { status: response.status, text }
    },
  }
}

export type House = Awaited<ReturnType<typeof openHouse>>

/** Somebody else's server that fails, and says back all that it was told, secrets included. */
async function mirror(): Promise<string> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const heard = `${JSON.stringify(request.headers)} ${Buffer.concat(chunks)}`
    response.writeHead(request.url === '/well' ? 200 : 500, 'Told').end(heard)
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
