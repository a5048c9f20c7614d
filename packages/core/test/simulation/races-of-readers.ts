import { expect } from 'vitest'
import { accepted, confirmedSession, pay, send } from '../../../testing/src/builders/requests.ts'
import { newCustomer, openCheckout } from '../../../testing/src/builders/sales.ts'
import type { Sandbox } from '../../../testing/src/builders/sandbox.ts'
import { readRows } from '../../../testing/src/invariants/rows.ts'
import type { Race } from './race.ts'

const origin = { ip_address: null, user_agent: null }

export const races_of_readers: Race[] = [
  {
    id: 'R23',
    sentence:
      'a key revoked during a request: that one is finished, or refused without a trace; the next is refused',
    ends: ['invalid_api_key', '200 revoked on the way', '200 revoked after'],
    async round({ sandbox, first, second, late }) {
      const { id, key } = accepted(await sandbox.engine.admin.keys.create(sandbox.scope, { type: 'secret' }))
      const { id: payment_method_session } = await confirmedSession(sandbox, 'tok_test_visa')
      const input = { amount: 1000, currency: 'usd', payment_method_session }
      let revoked = false
      const asking = async () => {
        await late()
        const asked = await payWithKey(first, { key, input })
        return { asked, end: revoked ? 'on the way' : 'after' }
      }
      const revoking = async () => {
        await late()
        accepted(await second.engine.admin.keys.revoke(sandbox.scope, { id }))
        revoked = true
      }
      const [{ asked, end }] = await Promise.all([asking(), revoking()])
      const { payments, idempotency_keys } = await readRows(sandbox.store, sandbox.scope)
      const made = asked.status === 200 ? 1 : 0
      const charges = sandbox.processor.ledger.charges()
      expect([payments.length, idempotency_keys.length, charges.length]).toEqual([made, made, made])
      expect(await payWithKey(sandbox, { key, input })).toMatchObject({ code: 'invalid_api_key' })
      // The Idempotency-Key is the workspace's: under the key that replaces the revoked one it is charged once.
      const again = await send(sandbox, 'payments.create', { input, key: 'k' })
      expect(again).toMatchObject({ status: 200, replayed: made === 1 })
      expect(sandbox.processor.ledger.charges()).toHaveLength(1)
      return asked.status === 200 ? `200 revoked ${end}` : String(asked.code)
    },
  },
  {
    id: 'R24',
    sentence:
      'a list walked while more is created: all that was there once, newest first, and no page is shifted',
    ends: ['0 of 3 more', '1 of 3 more', '2 of 3 more', '3 of 3 more'],
    async round({ sandbox, first, second, random, late }) {
      const { list, create } = lists[random.pick(['payments', 'checkout_sessions', 'customers'] as const)]
      const there: string[] = []
      for (let n = 0; n < 4; n += 1) {
        there.unshift(await create(sandbox))
        sandbox.clock.advance(1)
      }
      const creating = async () => {
        const created: string[] = []
        for (let n = 0; n < 3; n += 1) {
          await late()
          created.push(await create(second))
        }
        return created
      }
      const walking = async () => {
        for (let pause = random.below(5); pause > 0; pause -= 1) await late()
        const walked: string[] = []
        for (let more = true; more; ) {
          const page = await list(first, { limit: 2, starting_after: walked.at(-1) })
          walked.push(...page.data.map(({ id }) => id))
          more = page.has_more
        }
        return walked
      }
      const [created, walked] = await Promise.all([creating(), walking()])
      expect(walked).toEqual(walked.toSorted().reverse())
      expect(new Set(walked).size).toBe(walked.length)
      expect(walked.filter((id) => !created.includes(id))).toEqual(there)
      return `${walked.length - there.length} of 3 more`
    },
  },
]

/** One request from its Authorization header on, as a transport makes it. */
async function payWithKey(process: Sandbox, { key, input }: { key: string; input: object }) {
  const known = await process.engine.authenticate(`Bearer ${key}`, origin)
  if (known.isErr()) return { status: 401, code: known.error.code }
  return send({ ...process, caller: known.value.caller }, 'payments.create', { input, key: 'k' })
}

interface Query {
  limit: number
  starting_after: string | undefined
}

/** How a list is read, and how it gets one more. */
const lists = {
  payments: {
    list: async ({ engine, caller }: Sandbox, query: Query) =>
      accepted(await engine.payments.list(caller, query)),
    create: async (process: Sandbox) => accepted(await pay(process, 'tok_test_visa')).id,
  },
  checkout_sessions: {
    list: async ({ engine, caller }: Sandbox, query: Query) =>
      accepted(await engine.checkout_sessions.list(caller, query)),
    create: async (process: Sandbox) => (await openCheckout(process)).id,
  },
  customers: {
    list: async ({ engine, caller }: Sandbox, query: Query) =>
      accepted(await engine.customers.list(caller, query)),
    create: newCustomer,
  },
}
