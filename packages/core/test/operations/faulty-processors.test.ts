import { expect, it, vi } from 'vitest'
import {
  accepted,
  confirmation,
  confirmedSession,
  openSession,
  pay,
  send,
  shownPayment,
} from '../../../testing/src/builders/requests.ts'
import { advance } from '../../../testing/src/builders/sales.ts'
import { openSandbox, withProcessor } from '../../../testing/src/builders/sandbox.ts'
import { mortalProcess } from '../../../testing/src/ports/mortal-process.ts'
import type { Processor } from '../../src/ports/processor.ts'

/** Calls of a processor that only JavaScript lets through. */
type Faulty = { [Call in keyof Processor]?: () => unknown }

async function sandboxWith(faulty: Faulty) {
  const sandbox = await openSandbox()
  const processor = { ...sandbox.processor, ...(faulty as object) }
  return { sandbox, faulty: sandbox.another(withProcessor(sandbox, processor)) }
}

it.each([[undefined], [null], [{}], ['approved'], [{ kind: 'ok' }], [{ kind: 'charge' }]])(
  'a charge that the processor answers with %j is processing until the processor says what became of it',
  async (answer) => {
    const { sandbox, faulty } = await sandboxWith({ charge: async () => answer })
    const { id, status } = accepted(await pay(faulty, 'tok_test_visa'))
    expect(status).toBe('processing')
    await advance(sandbox, 60)
    expect((await shownPayment(sandbox, id)).status).toBe('failed')
    expect((await sandbox.engine.verify()).violations).toEqual([])
  },
)

it.each([
  [undefined],
  [{}],
  [{ notifications: [{}, null], cursor: 'a' }],
  [{ notifications: [] }],
  [{ notifications: [], cursor: { page: 1 } }],
])('what is due is tended though the processor gives %j as its notifications', async (page) => {
  const { faulty } = await sandboxWith({ notifications: async () => page })
  const { id } = accepted(await pay(faulty, 'tok_test_unknown_approved'))
  faulty.clock.advance(60_000)
  await faulty.engine.reconcile()
  expect((await shownPayment(faulty, id)).status).toBe('succeeded')
})

it.each([
  [new Error('it is closed', { cause: new Error('for a day') }), 'it is closed: for a day'],
  ['it is closed', 'it is closed'],
  [{ closed: true }, 'unknown'],
])('what a processor throws is logged in its words: %s', async (thrown, fault) => {
  const warn = vi.fn()
  const charge = () => Promise.reject(thrown)
  const sandbox = await openSandbox({ logger: { info: vi.fn(), warn, error: vi.fn() } })
  await pay(sandbox.another(withProcessor(sandbox, { ...sandbox.processor, charge })), 'tok_test_visa')
  const [[message, fields]] = warn.mock.calls as [[string, object]]
  expect([message, fields]).toMatchObject(['the processor did not answer', { call: 'charge', fault }])
})

it('a pass ends though the cursor of the notifications moves at every call', async () => {
  let cursor = 0
  const notifications = vi.fn(async () => ({ notifications: [], cursor: String(++cursor) }))
  const { faulty } = await sandboxWith({ notifications })
  await faulty.engine.reconcile()
  expect(notifications).toHaveBeenCalledTimes(1)
})

it('a pass ends though each page tells again what the last one told, as all since a second would', async () => {
  const sandbox = await openSandbox()
  const { id } = accepted(await pay(sandbox, 'btok_test_success'))
  const key = `${sandbox.scope.workspace}.${id}`
  let cursor = 0
  const notifications = vi.fn(async () => {
    cursor += 1
    if (cursor > 5) throw new Error('asked for ever')
    return {
      notifications: [{ id: 'n', of: 'charge' as const, key, state: { kind: 'settled' as const } }],
      cursor: String(cursor),
    }
  })
  const faulty = sandbox.another(withProcessor(sandbox, { ...sandbox.processor, notifications }))
  await faulty.engine.reconcile()
  expect(notifications).toHaveBeenCalledTimes(2)
  expect((await shownPayment(sandbox, id)).status).toBe('succeeded')
})

it.each([[{ kind: 'charge' }], [{ kind: 'charge', state: { kind: 'captured' } }]])(
  'a look-up that is answered with %j leaves a charge whose process died processing, and asks again later',
  async (answer) => {
    const sandbox = await openSandbox()
    const { id } = await confirmedSession(sandbox, 'tok_test_visa')
    const mortal = mortalProcess(sandbox, ({ method }) => (method === 'charge' ? 'after' : 'lives'))
    const dying = sandbox.another({ ...withProcessor(sandbox, mortal.processor), store: mortal.store })
    const input = { amount: 1000, currency: 'usd', payment_method_session: id }
    const request = { input, key: 'k' }
    void send(dying, 'payments.create', request)
    await mortal.died

    sandbox.clock.advance(60_000)
    const lookup = vi.fn(async () => answer as never)
    const faulty = sandbox.another(withProcessor(sandbox, { ...sandbox.processor, lookup }))
    const healed = await send(faulty, 'payments.create', request)
    expect(JSON.parse(healed.body)).toMatchObject({ object: 'payment', status: 'processing' })
    const asked = lookup.mock.calls.length
    await faulty.engine.reconcile()
    await faulty.engine.reconcile()
    expect(lookup.mock.calls.length).toBeLessThanOrEqual(asked + 1)

    sandbox.clock.advance(300_000)
    await sandbox.engine.reconcile()
    expect((await shownPayment(sandbox, JSON.parse(healed.body).id)).status).toBe('succeeded')
  },
)

it.each([
  [undefined],
  [null],
  [{ kind: 'verified' }],
  [{ kind: 'verified', type: 'card' }],
  [{ kind: 'verified', type: 'us_bank_account', us_bank_account: {} }],
])('a card that the processor verifies with %j leaves its session open', async (answer) => {
  const { sandbox, faulty } = await sandboxWith({ verify: async () => answer })
  const { id } = await openSession(faulty, 'tok_test_visa')
  const confirm = async ({ engine, browser }: typeof sandbox) =>
    engine.payment_method_sessions.confirm(browser, confirmation(id, 'tok_test_visa'))
  await expect(confirm(faulty)).rejects.toThrow()
  expect(accepted(await confirm(sandbox)).status).toBe('succeeded')
})

it.each([[undefined], [true], ['canceled'], [{ kind: 'voided' }]])(
  'a void that the processor answers with %j is not taken for one that came too late',
  async (answer) => {
    const { sandbox, faulty } = await sandboxWith({ void: async () => answer })
    const { id } = accepted(await pay(faulty, 'btok_test_success'))
    const voided = async () => faulty.engine.admin.payments.void(faulty.scope, { id })
    await expect(voided()).rejects.toThrow('does not know')
    expect((await shownPayment(sandbox, id)).status).toBe('processing')
  },
)

it.each([[undefined], ['tomorrow'], ['2026-01-31T12:00:30Z'], [new Date(0)]])(
  'the clock moves past the next notification %s',
  async (at) => {
    const { faulty } = await sandboxWith({ nextNotificationAt: async () => at })
    const before_ms = faulty.engine.clock.now()
    await advance(faulty, 60)
    expect(faulty.engine.clock.now()).toBe(before_ms + 60_000)
  },
)

const shown_card = { brand: 'visa', last4: '4242', exp_month: 12, exp_year: 2034, funding: 'credit' }

it('keeps of a verified card what may be shown of it, whatever else the processor hands on', async () => {
  const card = { ...shown_card, number: '4242424242424242', fingerprint: 'fp_1' }
  const { faulty } = await sandboxWith({ verify: async () => ({ kind: 'verified', type: 'card', card }) })
  const confirmed = await confirmedSession(faulty, 'tok_test_visa')
  expect(confirmed.card).toEqual(shown_card)
  const kept = await faulty.store.read(faulty.scope, (rows) => rows.payment_method_sessions.get(confirmed.id))
  expect(kept?.card).toEqual(shown_card)
})

it.each([
  ['card.last4', { last4: 4242 }],
  ['card.last4', { last4: '4242424242424242' }],
  ['card.exp_month', { exp_month: '12' }],
  ['card.exp_year', { exp_year: 34 }],
  ['card.exp_year', { exp_year: undefined }],
])('names %s, and no value, where the processor verifies a card with %j', async (field, wrong) => {
  const card = { ...shown_card, ...wrong }
  const { faulty } = await sandboxWith({ verify: async () => ({ kind: 'verified', type: 'card', card }) })
  const fault = await confirmedSession(faulty, 'tok_test_visa').catch((error: unknown) => error)
  expect(String(fault)).toBe(`Error: it verified with a wrong ${field}`)
})

const unnamed = { code: 'unknown', message: 'The processor gave no reason.' }

it.each([
  [{ code: undefined, message: undefined }, unnamed],
  [{ code: null, message: { text: 'no' } }, unnamed],
  [
    { code: 51, message: '\0' },
    { ...unnamed, code: '51' },
  ],
  [
    { code: 'a\0b', message: `\ud800${'m'.repeat(600)}` },
    { code: 'ab', message: `\ufffd${'m'.repeat(499)}` },
  ],
])('a refusal for the reasons %j is told in texts', async ({ code, message }, told) => {
  const { sandbox, faulty } = await sandboxWith({
    charge: async () => ({ kind: 'declined', decline_code: code, message }),
    refund: async () => ({ kind: 'refused', failure_code: code, message }),
  })
  const { id: payment_method_session } = await confirmedSession(faulty, 'tok_test_visa')
  const charge = { amount: 1000, currency: 'usd', payment_method_session }
  const declined = JSON.parse((await send(faulty, 'payments.create', { input: charge, key: 'c' })).body)
  expect(declined.error).toMatchObject({ code: 'card_declined', decline_code: told.code })
  const { failure } = await shownPayment(faulty, declined.error.payment)
  expect(failure).toEqual({
    code: 'declined',
    message: told.message,
    decline_code: told.code,
    return_code: null,
  })

  const { id: payment } = accepted(await pay(sandbox, 'tok_test_visa'))
  const refused = JSON.parse((await send(faulty, 'refunds.create', { input: { payment }, key: 'r' })).body)
  expect(refused.error).toMatchObject({ code: 'refund_failed', failure_code: told.code })
  const refund = accepted(await faulty.engine.refunds.retrieve(faulty.caller, { id: refused.error.refund }))
  expect(refund.failure).toEqual(told)
})

it('a card that is refused without a word has an error with a message all the same', async () => {
  const { faulty } = await sandboxWith({ verify: async () => ({ kind: 'refused' }) })
  const { id } = await openSession(faulty, 'tok_test_visa')
  const confirmed = await faulty.engine.payment_method_sessions.confirm(
    faulty.browser,
    confirmation(id, 'tok_test_visa'),
  )
  expect(confirmed._unsafeUnwrapErr()).toMatchObject({
    code: 'card_verification_failed',
    message: unnamed.message,
  })
})

it('a debit that came back for a reason nobody names is returned, and says that', async () => {
  const sandbox = await openSandbox()
  const { id } = accepted(await pay(sandbox, 'btok_test_never_settles'))
  const key = `${sandbox.scope.workspace}.${id}`
  const notifications = async () => ({
    notifications: [{ id: 'n', of: 'charge', key, state: { kind: 'returned', return_code: 1 } }],
    cursor: 'a',
  })
  const processor = { ...sandbox.processor, notifications } as unknown as Processor
  await sandbox.another(withProcessor(sandbox, processor)).engine.reconcile()
  const { status, failure } = await shownPayment(sandbox, id)
  expect([status, failure]).toEqual([
    'returned',
    { code: 'bank_return', message: unnamed.message, decline_code: null, return_code: '1' },
  ])
})
