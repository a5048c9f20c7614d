import { createEngine, memoryStore } from '@quittance/core'
import { expect, it, vi } from 'vitest'
import { createHandler } from '../src/index.ts'

it.each([[undefined], [Number.NaN], [-1], ['5']])(
  'limits of a host that give %s refuse nobody without a word: the log names the option',
  async (wait_s) => {
    const error = vi.fn()
    const engine = createEngine({
      store: memoryStore(),
      secret: 'a secret of the tests, 32 bytes or more',
      processors: {},
      publicUrl: 'https://pay.example.com',
      logger: { info: () => {}, warn: () => {}, error },
    })
    const { id: workspace } = await engine.admin.workspaces.create({ name: 'Acme' })
    const created = await engine.admin.keys.create({ workspace, livemode: false }, { type: 'secret' })
    const take = async () => wait_s as number
    const handler = createHandler(engine, { limits: () => ({ sandbox: take, live: take, confirm: take }) })
    const headers = { authorization: `Bearer ${created._unsafeUnwrap().key}` }
    const { status } = await handler(new Request('https://pay.example.com/v1/account', { headers }))
    expect(status).toBe(500)
    expect(JSON.stringify(error.mock.calls)).toContain('`sandbox` of `limits` gives null')
  },
)
