import { expect, it } from 'vitest'
import { openCheckout } from '../../../testing/src/builders/sales.ts'
import { openSandbox } from '../../../testing/src/builders/sandbox.ts'
import { freshStore } from '../stores/tested-store.ts'

// The page was opened and paid where no API key reaches it, and the check of the database looked at none of it.
it('a caller of another engine is refused, by a throw: its workspace is not in this store', async () => {
  const other = await openSandbox()
  // The first one of each sandbox has the same id.
  const { id: workspace } = await other.engine.admin.workspaces.create({ name: 'Elsewhere' })
  const caller = await other.engine.caller({ workspace, livemode: false })
  const sandbox = await openSandbox({ store: await freshStore() })
  const foreign = { ...sandbox, caller }
  const refused = `There is no workspace ${workspace}.`
  await expect(openCheckout(foreign)).rejects.toThrow(refused)
  await expect((async () => sandbox.engine.payments.list(caller, {}))()).rejects.toThrow(refused)
  await openCheckout(sandbox)
})
