import { expect, it } from 'vitest'
import { openSandbox, withProcessor } from '../../../testing/src/builders/sandbox.ts'
import type { Notification, Processor } from '../../src/ports/processor.ts'

const news = (page: number): Notification => ({
  id: `n${page}`,
  of: 'charge',
  key: `unknown ${page}`,
  state: { kind: 'settled' },
})

/** A processor with a page of news behind each cursor, up to the last, that aborts while it gives the third. */
async function interrupted(last: number) {
  const aborting = new AbortController()
  const asked: number[] = []
  const notifications: Processor['notifications'] = async ({ after }) => {
    const page = Number(after ?? 0) + 1
    asked.push(page)
    if (page === 3) aborting.abort()
    return page > last
      ? { notifications: [], cursor: after }
      : { notifications: [news(page)], cursor: `${page}` }
  }
  const sandbox = await openSandbox()
  const { engine } = sandbox.another(withProcessor(sandbox, { ...sandbox.processor, notifications }))
  return { engine, asked, signal: aborting.signal }
}

// It read all that an account had to tell first, and a reconciler that was to stop waited for that.
it('a pass asks for no further page of notifications once its signal is aborted, and the next goes on there', async () => {
  const { engine, asked, signal } = await interrupted(5)
  await engine.reconcile({ signal })
  expect(asked).toEqual([1, 2, 3])
  await engine.reconcile()
  expect(asked).toEqual([1, 2, 3, 4, 5, 6])
})

it('a pass asks for nothing if its signal is aborted before', async () => {
  const { engine, asked } = await interrupted(5)
  await engine.reconcile({ signal: AbortSignal.abort() })
  expect(asked).toEqual([])
})
