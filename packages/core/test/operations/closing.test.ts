import { expect, it } from 'vitest'
import { accepted, freshKey, pay } from '../../../testing/src/builders/requests.ts'
import { openSandbox } from '../../../testing/src/builders/sandbox.ts'

// On a database of the host, which stays open, a closed engine still refunded.
it('a closed engine does nothing that is asked of it, and says why', async () => {
  const sandbox = await openSandbox({ testHelpers: true })
  const { engine, caller, scope } = sandbox
  const payment = accepted(await pay(sandbox, 'tok_test_visa')).id
  await engine.close()
  const asked = {
    refund: () => engine.refunds.create(caller, { payment, amount: 100 }, { idempotency_key: freshKey() }),
    list: () => engine.payments.list(caller, {}),
    workspace: () => engine.admin.workspaces.create({ name: 'Late' }),
    caller: () => engine.caller(scope),
    authenticate: () => engine.authenticate('Bearer sk_test_none', { ip_address: null, user_agent: null }),
    claim: () => engine.deliveries.claim(1),
    page: () => engine.pages.invoice('none'),
    reconcile: () => engine.reconcile(),
    verify: () => engine.verify(),
    reseal: () => engine.reseal(),
    migrate: () => engine.migrate(),
    pending: () => engine.migrations.pending(),
  }
  for (const [what, ask] of Object.entries(asked))
    await expect(ask(), what).rejects.toThrow('The engine has been closed.')
  await engine.close()
})
