import { expect, it, vi } from 'vitest'
import { accepted, pay, shownPayment } from '../../../testing/src/builders/requests.ts'
import { refund } from '../../../testing/src/builders/sales.ts'
import { openSandbox, withProcessor } from '../../../testing/src/builders/sandbox.ts'

/** An answer as an adapter may have it: an object of a class, whose fields are getters, which no copy has. */
function answerOf({ code, ...fields }: Record<string, unknown>): object {
  const codes = { decline_code: code, return_code: code, failure_code: code, message: 'No.' }
  const getters = Object.entries({ ...codes, ...fields }).map(([name, value]) => [name, { get: () => value }])
  return Object.create(Object.create(null, Object.fromEntries(getters)))
}

async function sandboxWith(odd: Record<string, () => unknown>) {
  const warn = vi.fn()
  const sandbox = await openSandbox({ logger: { info: vi.fn(), warn, error: vi.fn() } })
  const processor = { ...sandbox.processor, ...(odd as object) }
  return { sandbox, odd: sandbox.another(withProcessor(sandbox, processor)), warn }
}

it('a charge and a refund are refused by objects of a class', async () => {
  const { sandbox, odd } = await sandboxWith({
    charge: async () => answerOf({ kind: 'declined', code: 'stolen' }),
    refund: async () => answerOf({ kind: 'refused', code: 'closed' }),
  })
  const { id } = accepted(await pay(sandbox, 'tok_test_visa'))
  expect((await pay(odd, 'tok_test_visa'))._unsafeUnwrapErr()).toMatchObject({
    code: 'card_declined',
    extra: { decline_code: 'stolen' },
  })
  expect((await refund(odd, { payment: id }))._unsafeUnwrapErr().extra).toMatchObject({
    failure_code: 'closed',
  })
})

it('a look-up finds a charge declined by an object of a class', async () => {
  const state = answerOf({ kind: 'declined', code: 'stolen' })
  const { sandbox, odd } = await sandboxWith({ lookup: async () => answerOf({ kind: 'charge', state }) })
  const { id } = accepted(await pay(sandbox, 'tok_test_unknown_forever'))
  sandbox.clock.advance(60_000)
  await odd.engine.reconcile()
  expect(await shownPayment(sandbox, id)).toMatchObject({
    status: 'failed',
    failure: { decline_code: 'stolen', message: 'No.' },
  })
})

it('a chargeback that an object of a class tells of is not lost', async () => {
  const sandbox = await openSandbox()
  const { id } = accepted(await pay(sandbox, 'tok_test_visa'))
  const state = answerOf({ kind: 'returned', code: 'chargeback' })
  const told = answerOf({ id: 'n', of: 'charge', key: `${sandbox.scope.workspace}.${id}`, state })
  const notifications = async () => ({ notifications: [told as never], cursor: 'a' })
  const { engine } = sandbox.another(withProcessor(sandbox, { ...sandbox.processor, notifications }))
  await engine.reconcile()
  expect((await shownPayment(sandbox, id)).status).toBe('returned')
})

function unreadable(field: string, rest: object): object {
  const get = () => {
    throw new Error('unreadable')
  }
  return Object.defineProperty(rest, field, { get, enumerable: true })
}

function endless() {
  const fault = new Error('round and round')
  fault.cause = fault
  return fault
}

it.each([
  ['answers what cannot be read', async () => unreadable('message', { kind: 'declined' })],
  ['throws what is its own cause', () => Promise.reject(endless())],
  [
    'throws what has no words',
    () => Promise.reject(Object.create(Error.prototype, { message: {}, name: {} })),
  ],
])('a charge is processing, and shown, where the processor %s', async (_, charge) => {
  const { sandbox, odd, warn } = await sandboxWith({ charge })
  const { id, status } = accepted(await pay(odd, 'tok_test_visa'))
  expect(status).toBe('processing')
  expect((await shownPayment(sandbox, id)).status).toBe('processing')
  expect(warn.mock.calls.map(([message]) => message)).toEqual(['the processor did not answer'])
})

const round: Record<string, unknown> = { kind: 'odd' }
round.round = round

it.each([
  ['a state with a BigInt', { state: { kind: 'odd', cents: 10n } }, 'a'],
  ['a state that contains itself', { state: round }, 'a'],
  ['a symbol as its id', { id: Symbol('n') }, 'a'],
  ['a cursor that no database takes', {}, 'a\0'],
  ['what cannot be read', unreadable('state', {}), 'a'],
])('a pass goes on to what is due though a notification has %s', async (_, given, cursor) => {
  const sandbox = await openSandbox()
  const { id } = accepted(await pay(sandbox, 'tok_test_unknown_approved'))
  const key = `${sandbox.scope.workspace}.${id}`
  const usual = { id: 'n', of: 'charge', key, state: { kind: 'odd' } }
  const told = Object.defineProperties(usual, Object.getOwnPropertyDescriptors(given))
  const notifications = async () => ({ notifications: [told as never], cursor })
  const { engine } = sandbox.another(withProcessor(sandbox, { ...sandbox.processor, notifications }))
  sandbox.clock.advance(60_000)
  await engine.reconcile()
  expect((await shownPayment(sandbox, id)).status).toBe('succeeded')
  expect((await engine.verify()).violations).toEqual([])
})
