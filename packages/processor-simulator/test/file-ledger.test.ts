import { spawn } from 'node:child_process'
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { fileLedger } from '../src/file-ledger.ts'
import { simulatedProcessor } from '../src/simulated-processor.ts'

const at = '2026-01-31T12:00:00.000Z'
const years_later = '2029-01-31T12:00:00.000Z'
const request = { token: 'tok_test_visa', type: 'card', amount: 100, currency: 'USD', at } as const

let folder: string
let path: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'quittance-ledger-'))
  path = join(folder, 'home', 'ledger.jsonl')
})
afterEach(() => rmSync(folder, { recursive: true }))

const open = () => simulatedProcessor({ ledger: fileLedger(path) })

it('finds after a restart every charge, refund, fence and void, and what is still to come', async () => {
  const before = open()
  await before.charge({ ...request, key: 'card', token: 'tok_test_refund_pending' })
  await before.refund({ key: 'refund', charge_key: 'card', amount: 30, currency: 'USD', at })
  await before.charge({ ...request, key: 'late', token: 'btok_test_late_return', type: 'us_bank_account' })
  await before.charge({ ...request, key: 'voided', token: 'btok_test_success', type: 'us_bank_account' })
  await before.void({ key: 'voided', at })
  await before.lookup({ key: 'fenced', at })
  const page = await before.notifications({ after: null, at: '2026-01-31T12:01:00.000Z' })
  expect(page.notifications.map(({ id }) => id)).toEqual(['late:settled'])

  const after = open()
  expect(after.ledger.charges()).toEqual(before.ledger.charges())
  expect(after.ledger.refunds()).toEqual(before.ledger.refunds())
  expect(after.ledger.totals()).toEqual(before.ledger.totals())
  expect(await after.charge({ ...request, key: 'fenced' })).toMatchObject({ kind: 'declined' })
  const rest = await after.notifications({ after: page.cursor, at: years_later })
  expect(rest.notifications.map(({ id }) => id)).toEqual(['refund:succeeded', 'late:returned'])
  expect((await after.notifications({ after: null, at: years_later })).notifications[0]).toEqual(
    page.notifications[0],
  )
})

it('forgets a torn last line, which was never answered for, and goes on after it', async () => {
  await open().charge({ ...request, key: 'whole' })
  const whole = readFileSync(path, 'utf8')
  appendFileSync(path, whole.slice(0, -1).replace('whole', 'torn'))
  const after = open()
  expect(await after.lookup({ key: 'torn', at })).toEqual({ kind: 'not_found' })
  await after.charge({ ...request, key: 'next' })
  expect(
    open()
      .ledger.charges()
      .map(({ key }) => key),
  ).toEqual(['whole', 'next'])
})

it('refuses to open a file that is damaged in the middle, and names the line', async () => {
  await open().charge({ ...request, key: 'whole' })
  writeFileSync(path, `${readFileSync(path, 'utf8')}{"entry":"char\n`)
  expect(open).toThrow('damaged in line 2')
})

it('takes back a line that the disk had no room for, so that the next one is whole', async () => {
  const lines = await runChild(
    ['sh', '-c', 'ulimit -f 2 && exec "$0" "$@"'],
    `let n = 0
    try {
      for (;; n += 1) await processor.charge({ ...request, key: 'charge-' + n })
    } catch (fault) {
      console.log(fault.code, n)
    }
    console.log((await processor.lookup({ key: 'fence', at: request.at })).kind)`,
  )
  expect(lines).toEqual(['EFBIG 4', 'not_found'])
  const after = open()
  expect(after.ledger.charges().map(({ key }) => key)).toEqual([
    'charge-0',
    'charge-1',
    'charge-2',
    'charge-3',
  ])
  expect(await after.charge({ ...request, key: 'fence' })).toMatchObject({ decline_code: 'expired_key' })
})

it('holds every charge that was answered when the process is killed', async () => {
  const answered = await runChild(
    [],
    `for (let n = 0; ; n += 1) {
      await processor.charge({ ...request, key: 'charge-' + n })
      console.log('charge-' + n)
      await new Promise(setImmediate)
    }`,
    50,
  )
  expect(answered.length).toBeGreaterThanOrEqual(50)
  const after = open()
  for (const key of answered) expect(after.ledger.charge(key)?.state).toEqual({ kind: 'approved' })
})

it('is one book for the processes that share it: what one does the others know', async () => {
  const [one, other] = [open(), open()]
  const debit = { ...request, key: 'debit', token: 'btok_test_success', type: 'us_bank_account' } as const
  expect(await one.charge(debit)).toEqual({ kind: 'accepted' })
  expect(await other.lookup({ key: 'debit', at })).toEqual({ kind: 'charge', state: { kind: 'accepted' } })
  expect(await other.charge(debit)).toEqual({ kind: 'accepted' })
  expect(other.control.settle('debit', at)).toBe(true)
  expect(one.ledger.totals()).toEqual({ USD: { captured: 100, refunded: 0, returned: 0 } })
  const told = await one.notifications({ after: null, at: years_later })
  expect(await other.notifications({ after: null, at: years_later })).toEqual(told)
  expect(told.notifications.map(({ id }) => id)).toEqual(['debit:settled'])
})

it('is charged once for a key that several processes use at the same time', async () => {
  const program = `
    for (let n = 0; n < 200; n += 1) {
      const answer = await processor.charge({ ...request, key: 'charge-' + n })
      if (answer.kind !== 'approved') console.log(answer)
    }`
  const printed = await Promise.all([1, 2, 3].map(() => runChild([], program)))
  expect(printed).toEqual([[], [], []])
  expect(readFileSync(path, 'utf8').trimEnd().split('\n')).toHaveLength(200)
  expect(open().ledger.totals()).toEqual({ USD: { captured: 20_000, refunded: 0, returned: 0 } })
})

it('is controlled through one process, and looked at through another, wherever it was charged', async () => {
  const [charging, controlling, looking] = [open(), open(), open()]
  await charging.charge({ ...request, key: 'card', token: 'tok_test_refund_pending' })
  await charging.refund({ key: 'refund', charge_key: 'card', amount: 30, currency: 'USD', at })
  expect(looking.ledger.charge('card')).toMatchObject({ state: { kind: 'approved' } })
  expect(controlling.control.failRefund('refund', at)).toBe(true)
  expect(looking.ledger.refund('refund')).toMatchObject({ state: { kind: 'refused' } })
  expect(controlling.control.chargeback('card', at)).toBe(true)
  expect(looking.ledger.charge('card')).toMatchObject({ state: { kind: 'returned' } })
  expect(await charging.nextNotificationAt()).toBe(at)
})

// With a clock that was set back since, the lock was not old for as long as the clock had been set back.
it.each([
  ['long ago', new Date(0)],
  ['at a time to come, because the clock was set back', new Date('2099-01-01')],
])('goes on after a process that was killed in its turn %s', async (_, taken_at) => {
  await open().charge({ ...request, key: 'before' })
  mkdirSync(`${path}.lock`)
  utimesSync(`${path}.lock`, taken_at, taken_at)
  expect(await open().lookup({ key: 'before', at })).toMatchObject({ kind: 'charge' })
})

it('goes on after a process that was killed while it removed the lock of another', async () => {
  await open().charge({ ...request, key: 'before' })
  for (const lock of [`${path}.lock`, `${path}.lock.breaking`]) {
    mkdirSync(lock)
    utimesSync(lock, new Date(0), new Date(0))
  }
  expect(await open().lookup({ key: 'before', at })).toMatchObject({ kind: 'charge' })
})

/** Runs a program with a `processor` on the ledger file, and kills it once it has printed so many lines. */
async function runChild(
  wrapper: string[],
  program: string,
  kill_after = Number.POSITIVE_INFINITY,
): Promise<string[]> {
  const source = fileURLToPath(new URL('../src/index.ts', import.meta.url))
  const opening = `
    import { fileLedger, simulatedProcessor } from ${JSON.stringify(source)}
    const request = ${JSON.stringify(request)}
    const processor = simulatedProcessor({ ledger: fileLedger(${JSON.stringify(path)}) })
  `
  const flags = ['--conditions=@quittance/source', '--input-type=module', '--eval', opening + program]
  const [command = process.execPath, ...rest] = [...wrapper, process.execPath, ...flags]
  const child = spawn(command, rest, { stdio: ['ignore', 'pipe', 'inherit'] })
  const lines: string[] = []
  for await (const line of createInterface(child.stdout)) {
    lines.push(line)
    if (lines.length === kill_after) child.kill('SIGKILL')
  }
  return lines
}
