import { writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { pathToFileURL } from 'node:url'
import type { Processor } from '@quittance/core'
import { describeProcessor, type ProcessorTokens } from '@quittance/testing'
import { afterAll } from 'vitest'
import { blocksOf, installedFolder } from './page.ts'

interface Posted {
  reference: string
  token: string
  charge: string
  amount: number
}
interface Operation extends Posted {
  object: string
  status: string
  code?: string
}

const { folder, remove } = installedFolder()
afterAll(remove)

const example = blocksOf('docs/processor.md').find(({ text }) => text.startsWith('// acme.ts\n'))
writeFileSync(join(folder, 'acme.ts'), example?.text ?? '')
const { acmeProcessor } = (await import(pathToFileURL(join(folder, 'acme.ts')).href)) as {
  acmeProcessor: (options: object) => Processor
}

const tokens: ProcessorTokens = {
  approved: 'acme_visa',
  declined: 'acme_declined',
  verification_refused: 'acme_refused',
  unreachable: null,
  unanswered_approved: 'acme_broken',
  unanswered_forever: null,
  refund_pending: null,
  refund_fails: null,
  refund_refused: 'acme_no_refunds',
  settles: null,
  returns: null,
  returns_late: null,
  charged_back: null,
}

describeProcessor('the processor that the page shows', openAcme, tokens)

async function openAcme() {
  const server = createServer(acmeService())
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    processor: acmeProcessor({ url, api_key: 'acme', chargebacks: async () => [] }),
    async close() {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}

/** Acme, as far as the page's adapter asks it. */
function acmeService() {
  const operations = new Map<string, Operation>()
  const refuse = (one: Operation, code: string): Operation => ({ ...one, status: 'declined', code })
  const charge = (one: Operation) => (one.token === 'acme_declined' ? refuse(one, 'no_money') : one)
  const refund = (one: Operation) => {
    const charged = operations.get(one.charge)
    if (charged?.status !== 'succeeded' || charged.token === 'acme_no_refunds')
      return refuse(one, 'not_refundable')
    const given = [...operations.values()].filter(
      ({ charge, status }) => charge === one.charge && status === 'succeeded',
    )
    const sum = given.reduce((total, { amount }) => total + amount, one.amount)
    return sum > charged.amount ? refuse(one, 'too_much') : one
  }
  return async (request: IncomingMessage, response: ServerResponse) => {
    const answer = (status: number, body: unknown) => response.writeHead(status).end(JSON.stringify(body))
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://acme')
    if (request.method === 'GET' && pathname.startsWith('/tokens/')) {
      if (pathname === '/tokens/acme_refused') return answer(402, {})
      const card = { brand: 'visa', last4: '4242', exp_month: 12, exp_year: 2034, funding: 'credit' }
      return Object.values(tokens).includes(pathname.slice('/tokens/'.length))
        ? answer(200, card)
        : answer(404, {})
    }
    if (request.method === 'GET') {
      const found = operations.get(searchParams.get('reference') ?? '')
      return answer(200, { data: found ? [found] : [] })
    }
    const posted = (await json(request)) as Posted
    const object = pathname === '/charges' ? 'charge' : 'refund'
    const asked = { object, status: 'succeeded', text: 'Refused.', ...posted }
    const made = operations.get(posted.reference) ?? (object === 'charge' ? charge(asked) : refund(asked))
    operations.set(posted.reference, made)
    if (made.token === 'acme_broken') return answer(500, {})
    return answer(made.status === 'succeeded' ? 200 : 402, made)
  }
}
