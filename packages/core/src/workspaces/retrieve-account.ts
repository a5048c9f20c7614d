import { z } from 'zod'
import { query } from '../kernel/operation.ts'
import { ok } from '../kernel/result.ts'
import { account } from './workspace.ts'

/** `GET /account`: checks that a key works. Needs no scope. */
export const retrieveAccount = query({
  access: { key: 'secret', scope: null },
  input: z.strictObject({}),
  output: account,
  errors: [],
  async run({ caller }) {
    const { workspace, livemode } = caller
    return ok({
      object: 'account' as const,
      id: workspace.id,
      name: workspace.name,
      environment: livemode ? ('live' as const) : ('sandbox' as const),
      livemode,
    })
  },
})
