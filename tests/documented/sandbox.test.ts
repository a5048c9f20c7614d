import { join } from 'node:path'
import { paymentSteps, refundSteps } from '@quittance/core'
import { tokenFor } from '@quittance/processor-simulator'
import { accepted, confirmation, freshKey, openSandbox, openSession, type Sandbox } from '@quittance/testing'
import { beforeAll, describe, expect, it } from 'vitest'
import { testHelperRoutes } from '../../packages/transport-http/src/test-helper-routes.ts'
import { readText } from '../../tools/packages.ts'
import { bareStart, startServer } from '../server/dev-server.ts'
import { blocksOf, codesIn, inFolder, tableOf } from './page.ts'

const path = 'docs/sandbox.md'
const page = readText(path)
const cards = tableOf(page, 'number', 'token')
const accounts = tableOf(page, 'account number', 'token')
const rows = [...cards, ...accounts].map(([number = '', token = '', at_once = '', later = '']) => ({
  number,
  token: codesIn(token)[0] ?? '',
  at_once,
  later,
}))
const refunds = tableOf(page, 'paid with').map(([token = '', at_once = '', later = '']) => ({
  token: codesIn(token)[0] ?? '',
  at_once,
  later,
}))

let sandbox: Sandbox
beforeAll(async () => {
  sandbox = await openSandbox()
})

it('every token that the simulator knows is on the page', () => {
  const source = readText('packages/processor-simulator/src/test-tokens.ts')
  const known = [...source.matchAll(/'(b?tok_test_\w+)'/g)].map((match) => match[1])
  expect(rows.map(({ token }) => token)).toEqual(known)
})

describe('the table of tokens', () => {
  it.each(rows)('$token is $number', ({ number, token }) => {
    const account = { routing_number: '110000000', account_number: number }
    expect(tokenFor(token.startsWith('b') ? account : { number })).toBe(token)
  })

  it.each(rows)('$token: $at_once; $later', async ({ token, at_once, later }) => {
    const paid = await pay(token)
    const [said, decline_code] = codesIn(at_once)
    expect(paid).toMatchObject({ said, ...(decline_code === undefined ? {} : { decline_code }) })
    if (paid.id === undefined) return
    const seen = [await shown(paid.id)]
    for (const days of [60 / 86_400, 2, 1, 30]) {
      await advance(days * 86_400)
      seen.push(await shown(paid.id))
    }
    const changes = seen.filter(({ status }, at) => at > 0 && status !== seen[at - 1]?.status)
    const codes = codesIn(later).filter((code) => code !== 'return_code')
    const return_code = codes.at(-2) === 'returned' ? codes.pop() : undefined
    expect(changes.map(({ status }) => status)).toEqual(codes)
    expect(changes.at(-1)?.failure?.return_code ?? undefined).toBe(return_code)
  })

  it.each(refunds)('a refund of $token: $at_once; $later', async ({ token, at_once, later }) => {
    const { engine, caller } = sandbox
    const { id = '' } = await pay(token)
    const made = await engine.refunds.create(caller, { payment: id }, { idempotency_key: freshKey() })
    const [said, , failure_code] = codesIn(at_once)
    expect(made.isOk() ? made.value.status : made.error.code).toBe(said)
    expect(made.isOk() ? undefined : made.error.extra?.failure_code).toBe(failure_code)
    if (made.isErr() || later === '') return
    await advance(3_600)
    const found = accepted(await engine.refunds.retrieve(caller, { id: made.value.id }))
    const [status, , code] = codesIn(later)
    expect([found.status, found.failure?.code]).toEqual([status, code])
  })
})

describe('the test helpers', () => {
  it('are on the page with every route', () => {
    const listed = tableOf(page, 'route', 'body').map(([route = '']) => codesIn(route)[0])
    expect(listed).toEqual(testHelperRoutes.map(({ method, path }) => `${method} ${path}`))
  })

  it('are on the page with every function and every step', () => {
    const functions = tableOf(page, 'function', 'input').flatMap(([name = '']) => codesIn(name))
    const { payment, refund, ...others } = sandbox.engine.testHelpers ?? { payment: {}, refund: {} }
    const steps = (name: string, of: object) =>
      Object.keys(of).map((step) =>
        functions.find((listed) => [`${name}.${step}`, `.${step}`].includes(listed)),
      )
    expect(functions).toEqual(expect.arrayContaining(Object.keys(others)))
    expect([...steps('payment', payment), ...steps('refund', refund)]).not.toContain(undefined)
    const needs = tableOf(page, 'step', 'of').flatMap(([step = '']) => codesIn(step))
    expect(needs).toEqual([...paymentSteps, ...refundSteps])
  })

  it('answer on the development server what the page says', () =>
    inFolder(async (folder, run) => {
      const server = await startServer(bareStart(), join(folder, '.quittance'))
      try {
        const blocks = blocksOf(path)
        const at = blocks.findIndex(({ language }) => language === 'bash')
        const script = blocks[at]?.text.replaceAll('4242/', `${new URL(server.base_url).port}/`) ?? ''
        // Started by no other shell, bash takes its pipe for a network and reads the machine's bashrc.
        expect(await run('bash', '--norc', '-eu', '-c', script)).toBe(blocks[at + 1]?.text)
      } finally {
        server.destroy()
      }
    }))
})

/** What the confirm refuses with, or the status of the payment or what refuses the charge. */
async function pay(token: string): Promise<{ said: string; decline_code?: string; id?: string }> {
  const { engine, caller, browser } = sandbox
  const { id } = await openSession(sandbox, token)
  const confirmed = await engine.payment_method_sessions.confirm(browser, confirmation(id, token))
  if (confirmed.isErr()) return { said: confirmed.error.code }
  const charge = { amount: 1000, currency: 'USD', payment_method_session: id } as const
  const paid = await engine.payments.create(caller, charge, { idempotency_key: freshKey() })
  if (paid.isOk()) return { said: paid.value.status, id: paid.value.id }
  const { code, extra } = paid.error
  return { said: code, decline_code: extra?.decline_code ?? '', id: extra?.payment ?? '' }
}

async function shown(id: string) {
  return accepted(await sandbox.engine.payments.retrieve(sandbox.caller, { id }))
}

async function advance(seconds: number): Promise<void> {
  const moved = await sandbox.engine.testHelpers?.advanceClock(sandbox.caller, { seconds })
  expect(moved?.isOk()).toBe(true)
}
