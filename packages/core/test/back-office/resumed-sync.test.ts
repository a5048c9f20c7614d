import type { ServerResponse } from 'node:http'
import { describe, expect, it } from 'vitest'
import { status } from '../../../connectors/test/ledger-server.ts'
import { accepted, pay } from '../../../testing/src/builders/requests.ts'
import { crashingStore } from '../../../testing/src/ports/crashing-store.ts'
import { type Connector, iso, type Reconciler, startReconciler } from '../../src/index.ts'
import { freshStore } from '../stores/tested-store.ts'
import { customerOf, invoiceOf, many, openSynced } from './ledger-sync.ts'

const content = { customers: [customerOf(1)], invoices: many(250, (index) => invoiceOf(index)) }
/** Before the second page of invoices, the first and its customers are asked for. */
const first_page = [null, null] as const

describe('a historical sync', () => {
  it('goes on where it stopped when its process dies in the middle', async () => {
    const synced = await openSynced(content)
    let release = () => {}
    synced.ledger.answerNext(...first_page, (_req, res) => {
      release = () => res.destroy()
    })
    const abandoned = synced.ask()
    await expect.poll(() => synced.ledger.asked.length).toBe(3)
    expect(await synced.run()).toMatchObject({ status: 'running', pages: 1, created: 100 })
    const successor = synced.another().engine
    await successor.reconcile()
    expect(await synced.run()).toMatchObject({ pages: 1 })
    synced.clock.jump(60_000)
    await successor.reconcile()
    expect(await synced.run()).toMatchObject({ status: 'completed', pages: 3, created: 250, unchanged: 0 })
    // The one that was thought dead comes back: nothing of what it brings counts any more.
    release()
    expect((await abandoned).isOk()).toBe(true)
    expect(await synced.run()).toMatchObject({ status: 'completed', pages: 3, created: 250, failures: 0 })
  })

  it.each([
    ['the next page', [null, status(503)], { pages: 2, created: 200 }],
    ['no answer either', [status(503)], { pages: 1, created: 100 }],
  ] as const)(
    'counts nothing of a process that comes back after another got %s',
    async (_, answers, so_far) => {
      const synced = await openSynced(content)
      let release = () => {}
      const hanging = (_: unknown, res: ServerResponse) => {
        release = () => res.destroy()
      }
      synced.ledger.answerNext(...first_page, hanging, ...answers)
      const slept = synced.ask()
      await expect.poll(() => synced.ledger.asked.length).toBe(3)
      synced.clock.jump(60_000)
      await synced.another().engine.reconcile()
      const before = await synced.run()
      expect(before).toMatchObject({ status: 'running', failures: 1, ...so_far })
      release()
      await slept
      expect(await synced.run()).toEqual(before)
    },
  )

  it('skips an invoice that another sync has stored since its page was asked for', async () => {
    const asked = Promise.withResolvers<void>()
    const answered = Promise.withResolvers<void>()
    const page = { kind: 'page' as const, rejected: [], cursor: null }
    const connector: Connector = {
      customers: async () => ({ ...page, records: [customerOf(1)] }),
      async invoices({ ids }) {
        if (ids !== null) return { ...page, records: [invoiceOf(1, { status: 'paid', amount_paid: 10_000 })] }
        asked.resolve()
        await answered.promise
        return { ...page, records: [invoiceOf(1)] }
      },
    }
    const synced = await openSynced(content, { connectors: { ledger: connector } })
    const slow = synced.ask()
    await asked.promise
    synced.clock.advance(1)
    await synced.ask({ invoiceIds: ['I-0001'] })
    answered.resolve()
    expect((await slow)._unsafeUnwrap().message).toContain('0 updated, 0 unchanged, 1 skipped')
    expect(synced.logged.join()).toContain('record: changed here since the ledger was asked')
    expect(await synced.invoices()).toMatchObject([{ status: 'paid', amount_due: 0 }])
  })

  it('is asked for again after an outage, and goes on by itself', async () => {
    const synced = await openSynced(content)
    synced.ledger.answerNext(...first_page, status(503))
    expect((await synced.ask())._unsafeUnwrap().message).toBe(
      'Historical sync started. The ledger is not available (http 503). It goes on in the background. ' +
        'So far: 100 created, 0 updated, 0 unchanged, 0 skipped.',
    )
    synced.clock.advance(999)
    await synced.engine.reconcile()
    expect(await synced.run()).toMatchObject({ status: 'running', pages: 1, failures: 1 })
    synced.clock.advance(1)
    await synced.engine.reconcile()
    expect(await synced.run()).toMatchObject({
      status: 'completed',
      created: 250,
      failures: 0,
      failure: null,
    })
  })

  it('waits as long as Retry-After says, up to an hour', async () => {
    const synced = await openSynced(content)
    synced.ledger.answerNext(status(429, { 'retry-after': '90' }), status(429, { 'retry-after': '999999' }))
    await synced.ask()
    for (const wait_s of [90, 3_600]) {
      synced.clock.advance(wait_s * 1000 - 1)
      await synced.engine.reconcile()
      expect((await synced.run()).pages).toBe(0)
      synced.clock.advance(1)
      await synced.engine.reconcile()
    }
    expect(await synced.run()).toMatchObject({ status: 'completed', created: 250 })
  })

  it('gives up after six answers in a row that were none, and goes on from there when asked for again', async () => {
    const told: object[] = []
    const notifier = { syncFinished: (notice: object) => void told.push(notice) }
    const synced = await openSynced(content, { notifier })
    synced.ledger.answerNext(...first_page, ...many(6, () => status(500)))
    const body = { slackUsername: 'ada' }
    await synced.ask(body)
    for (const delay_s of [1, 5, 30, 120, 600]) {
      expect((await synced.run()).status).toBe('running')
      synced.clock.advance(delay_s * 1000)
      await synced.engine.reconcile()
    }
    const failure = { code: 'ledger_unavailable', reason: 'http 500' }
    expect(await synced.run()).toMatchObject({ status: 'failed', pages: 1, due_at: null, failure })
    expect(told).toMatchObject([{ status: 'failed', slack_username: 'ada', created: 100 }])
    expect(synced.ledger.asked).toHaveLength(8)
    expect((await synced.ask(body))._unsafeUnwrap().message).toContain('completed: 250 created')
    expect(synced.ledger.asked[8]).toContain('cursor=100')
    expect(await synced.engine.backOffice.syncRuns(synced.connection)).toHaveLength(1)
    expect(told).toMatchObject([{}, { status: 'completed', slack_username: 'ada', created: 250 }])
  })

  it('stops when the ledger refuses, says why, and starts over when asked for again', async () => {
    const synced = await openSynced(content)
    synced.ledger.answerNext(...first_page, status(401))
    expect((await synced.ask())._unsafeUnwrapErr()).toEqual({
      code: 'bad_request',
      message: 'The sync stopped: http 401.',
      data: null,
    })
    expect(await synced.run()).toMatchObject({ status: 'failed', failure: { code: 'ledger_refused' } })
    expect((await synced.ask())._unsafeUnwrap().message).toContain('250 created, 0 updated, 100 unchanged')
  })

  it('runs in the background with useWorker, once, whoever reconciles', async () => {
    const synced = await openSynced(content)
    expect((await synced.ask({ useWorker: true }))._unsafeUnwrap()).toMatchObject({
      message: 'Historical sync queued. So far: 0 created, 0 updated, 0 unchanged, 0 skipped.',
      mode: 'WORKER',
    })
    expect(synced.ledger.asked).toEqual([])
    const engines = [synced.engine, ...many(3, () => synced.another().engine)]
    for (let pass = 0; pass < 5; pass += 1) {
      await Promise.all(engines.map((engine) => engine.reconcile()))
      synced.clock.advance(60_000)
    }
    expect(await synced.run()).toMatchObject({ status: 'completed', pages: 3, created: 250, unchanged: 0 })
    expect(await synced.engine.backOffice.syncRuns(synced.connection)).toHaveLength(1)
    // Three pages of invoices, and their customer.
    expect(synced.ledger.asked).toHaveLength(4)
  })

  it('tells whom an earlier request named, also where a later one names nobody', async () => {
    const told: object[] = []
    const notifier = { syncFinished: (notice: object) => void told.push(notice) }
    const synced = await openSynced(content, { notifier })
    for (const body of [{ slackUsername: 'ada' }, {}])
      accepted(await synced.ask({ useWorker: true, ...body }))
    await synced.engine.reconcile()
    expect(told).toMatchObject([{ status: 'completed', slack_username: 'ada' }])
  })

  it('is another run for another connection, or for other invoices', async () => {
    const synced = await openSynced(content)
    const { backOffice } = synced.engine
    const other = await backOffice.connect(synced.scope, { kind: 'ledger', ...synced.place })
    for (const body of [{}, { allInvoices: false }, { connectionId: other }, {}])
      accepted(await synced.ask({ useWorker: true, ...body }))
    expect(await backOffice.syncRuns(synced.connection)).toHaveLength(2)
    expect(await backOffice.syncRuns(other)).toHaveLength(1)
  })

  it('is one run when it is asked for several times at once', async () => {
    const synced = await openSynced(content)
    const answers = await Promise.all(many(4, () => synced.ask()))
    expect(answers.map((answer) => answer.isOk())).toEqual([true, true, true, true])
    const messages = answers.map((answer) => answer._unsafeUnwrap().message)
    expect(messages.filter((message) => message.includes('running already'))).toHaveLength(3)
    expect(await synced.engine.backOffice.syncRuns(synced.connection)).toHaveLength(1)
    expect(await synced.run()).toMatchObject({ status: 'completed', created: 250, unchanged: 0 })
  })
})

/** A sync of three pages starts, and then holds and stores each: seven commits. */
const commits = many(7, (n) => n).flatMap((n) => [
  { n, fault: 'before_commit' as const },
  { n, fault: 'after_commit' as const },
])

describe('a historical sync', () => {
  it.each(commits)('writes every record once when commit $n is lost: $fault', async ({ n, fault }) => {
    let seen = 0
    const store = crashingStore(await freshStore(), ({ written }) => {
      seen += Number(written.has('sync_runs'))
      return written.has('sync_runs') && seen === n ? fault : 'none'
    })
    const synced = await openSynced(content, { store })
    await expect(synced.ask().then((answer) => answer.isOk())).rejects.toThrow()
    synced.clock.advance(60_000)
    await synced.engine.reconcile()
    expect((await synced.ask())._unsafeUnwrap().message).toContain('completed')
    const runs = await synced.engine.backOffice.syncRuns(synced.connection)
    expect(runs.map((run) => run.status)).not.toContain('failed')
    expect(runs.reduce((sum, run) => sum + run.created, 0)).toBe(250)
    const rows = await store.read(synced.scope, (all) => all.invoices.page({ where: {}, limit: 1_000 }))
    expect(rows).toHaveLength(250)
  })

  it('answers after twenty pages, and goes on in the background', async () => {
    const synced = await openSynced({ ...content, invoices: many(2_050, (index) => invoiceOf(index)) })
    expect((await synced.ask())._unsafeUnwrap().message).toContain(
      'goes on in the background. So far: 2000 created',
    )
    await synced.engine.reconcile()
    expect(await synced.run()).toMatchObject({ status: 'completed', pages: 21, created: 2_050 })
  })

  it('survives a notifier that fails', async () => {
    const notifier = { syncFinished: () => Promise.reject(new Error('no chat')) }
    const synced = await openSynced(content, { notifier })
    expect((await synced.ask({ slackUsername: 'ada' })).isOk()).toBe(true)
    await expect.poll(() => synced.logged.join()).toContain('the notifier failed')
  })

  const empty = { kind: 'page' as const, records: [], rejected: [] }
  it('stops at a cursor that does not move', async () => {
    const page = async () => ({ ...empty, cursor: 'here' })
    const stuck: Connector = { customers: page, invoices: page }
    const synced = await openSynced(content, { connectors: { ledger: stuck } })
    expect((await synced.ask())._unsafeUnwrapErr().message).toBe(
      'The sync stopped: the cursor does not move.',
    )
  })

  it.each(['a\0b', 'a\ud800'])('stops at the cursor %j, which not every store can keep', async (cursor) => {
    const page = async () => ({ ...empty, cursor })
    const synced = await openSynced(content, { connectors: { ledger: { customers: page, invoices: page } } })
    expect((await synced.ask())._unsafeUnwrapErr().message).toBe(
      'The sync stopped: the cursor is not storable text.',
    )
    expect(await synced.run()).toMatchObject({ status: 'failed' })
  })

  it('follows the pages of a customer past an empty one, but not for ever', async () => {
    let asked = 0
    const customers = async ({ ids, cursor }: { ids: readonly string[] | null; cursor: string | null }) => {
      asked += 1
      if (ids?.includes('C-0002')) return { ...empty, cursor: `${asked}` }
      return cursor === null
        ? { ...empty, cursor: 'next' }
        : { ...empty, records: [customerOf(1)], cursor: null }
    }
    const records = [invoiceOf(1), invoiceOf(2, { customer: 'C-0002' })]
    const invoices = async ({ ids }: { ids: readonly string[] | null }) => ({
      ...empty,
      records: records.filter(({ external_id }) => ids?.includes(external_id)),
      cursor: null,
    })
    const synced = await openSynced(content, { connectors: { ledger: { customers, invoices } } })
    const first = await synced.ask({ invoiceIds: ['I-0001'] })
    expect(first._unsafeUnwrap().message).toContain('1 created, 0 updated, 0 unchanged, 0 skipped')
    asked = 0
    const second = await synced.ask({ invoiceIds: ['I-0002'] })
    expect(second._unsafeUnwrap().message).toContain('0 created, 0 updated, 0 unchanged, 1 skipped')
    expect(asked).toBe(100)
  })

  it('tries again after a connector that throws, and keeps what it threw to itself', async () => {
    let calls = 0
    const page = async () => {
      calls += 1
      if (calls === 1) throw new TypeError('a message with a token')
      return { ...empty, cursor: null }
    }
    const synced = await openSynced(content, { connectors: { ledger: { customers: page, invoices: page } } })
    await synced.ask()
    expect(await synced.run()).toMatchObject({ failure: { reason: 'the connector failed: TypeError' } })
    expect(synced.logged.join()).not.toContain('a message')
    synced.clock.advance(1_000)
    await synced.engine.reconcile()
    expect(await synced.run()).toMatchObject({ status: 'completed' })
  })

  it.each([{ kind: 'later' }, empty, { ...empty, records: undefined, cursor: null }])(
    'tries again after a connector that answers %j, which its port does not know',
    async (odd) => {
      const answers: unknown[] = [odd]
      const page = async () => (answers.shift() ?? { ...empty, cursor: null }) as never
      const connectors = { ledger: { customers: page, invoices: page } }
      const synced = await openSynced(content, { connectors })
      await synced.ask({ jobType: 'sync_customer' })
      expect(await synced.run()).toMatchObject({ status: 'running', failures: 1 })
      synced.clock.advance(1_000)
      await synced.engine.reconcile()
      expect(await synced.run()).toMatchObject({ status: 'completed', pages: 1 })
    },
  )

  it.each([
    { retry_after_s: Number.NaN },
    { retry_after_s: 'Thu, 01 Jan 2026 00:00:00 GMT' },
    { reason: undefined },
    { kind: 'refused', reason: undefined },
  ])('tries again after a connector that says %o of why there is no page', async (odd) => {
    const said = { kind: 'unavailable', reason: 'not now', retry_after_s: null, ...odd } as never
    const answers = [said]
    const page = async () => answers.shift() ?? { ...empty, cursor: null }
    const synced = await openSynced(content, { connectors: { ledger: { customers: page, invoices: page } } })
    await synced.ask()
    expect(await synced.run()).toMatchObject({ failure: { reason: 'the connector failed: TypeError' } })
    synced.clock.advance(1_000)
    await synced.engine.reconcile()
    expect(await synced.run()).toMatchObject({ status: 'completed' })
  })

  it('keeps no money waiting that settles meanwhile', async () => {
    const statuses: string[] = []
    const page = async ({ cursor }: { cursor: string | null }) => {
      const asked = Number(cursor ?? 0)
      const payment = await synced.engine.payments.retrieve(synced.caller, { id: paid.id })
      statuses.push(payment._unsafeUnwrap().status)
      const at = iso(synced.clock.now())
      if (asked === 1) synced.processor.control.settle(`${synced.scope.workspace}.${paid.id}`, at)
      return { ...empty, cursor: asked < 3 ? String(asked + 1) : null }
    }
    const synced = await openSynced(content, { connectors: { ledger: { customers: page, invoices: page } } })
    const paid = accepted(await pay(synced, 'btok_test_success'))
    await synced.ask({ useWorker: true })
    await synced.engine.reconcile()
    expect(statuses).toEqual(['processing', 'processing', 'succeeded', 'succeeded'])
  })

  it('ends at its page when the reconciler is stopped, and is gone on with', async () => {
    let stopping: Promise<void> | undefined
    const page = async ({ cursor }: { cursor: string | null }) => {
      const asked = Number(cursor ?? 0)
      if (asked === 2) stopping ??= reconciler?.stop()
      return { ...empty, cursor: asked < 5 ? String(asked + 1) : null }
    }
    const synced = await openSynced(content, { connectors: { ledger: { customers: page, invoices: page } } })
    await synced.ask({ useWorker: true })
    const reconciler: Reconciler = startReconciler(synced.engine)
    await expect.poll(() => stopping !== undefined).toBe(true)
    await stopping
    expect(await synced.run()).toMatchObject({ status: 'running', pages: 3 })
    await synced.engine.reconcile()
    expect(await synced.run()).toMatchObject({ status: 'completed', pages: 6 })
  })
})
