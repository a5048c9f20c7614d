import { systemClock } from '@quittance/core'
import { expect, it } from 'vitest'
import { createBackOffice } from '../src/back-office.ts'
import { openOffice } from './back-office-server.ts'

it('an `authorize` that never settles is a fault after ten seconds: the request waited for ever', async () => {
  const waited: number[] = []
  const after: typeof systemClock.after = (delay_ms, wake) => {
    waited.push(delay_ms)
    return systemClock.after(delay_ms === 10_000 ? 0 : delay_ms, wake)
  }
  const { call, logged } = await openOffice({
    clock: { ...systemClock, after },
    office: { authorize: () => new Promise(() => {}) },
  })
  const { status, body } = await call('POST', '/back-office/sync/historical', { body: {} })
  expect([status, body.code]).toEqual([500, 'internal_server_error'])
  expect(waited).toContain(10_000)
  expect(logged.join()).toContain('`authorize` has not answered within 10 s')
})

it('a back office of no engine is refused: it answered 500 to everything, and logged nothing', () => {
  expect(() => createBackOffice(undefined as never, { authorize: () => true })).toThrow(
    'A back office is that of an engine',
  )
})
