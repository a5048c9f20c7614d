import { DatabaseSync } from 'node:sqlite'
import { sqliteStore } from '@quittance/store-sqlite'
import { accepted, attemptDue, openSandbox, pay, registeredEndpoint } from '@quittance/testing'
import { expect, it, onTestFinished } from 'vitest'
import { temporaryFile } from '../../packages/store-sqlite/test/temporary-file.ts'
import { readText, sourcesOf } from '../../tools/packages.ts'
import { blocksOf, codesIn, tableOf } from './page.ts'

const path = 'docs/operating.md'
const page = readText(path)

const sources = ['core', 'webhooks', 'pages', 'transport-http', 'store-sql', 'store-sqlite', 'store-postgres']
  .flatMap((folder) => sourcesOf(folder))
  .map(readText)
  .join('\n')
const log = tableOf(page, 'message', 'level')

it('the log on the page has every message of the sources, and no other', () => {
  const found = (pattern: RegExp) => [...sources.matchAll(pattern)].map((match) => match[1] ?? '')
  const logged = [
    ...found(/logger\.(?:info|warn|error)\(\s*'([^']+)'/g),
    ...found(/(?:const message =|\bone:|\bmore:)\s*'([a-z][^']+)'/g),
    ...found(/new Outage\([\w.]+, '([^']+)'\)/g).map((what) => `${what} fails`),
  ]
  const shown = log
    .flatMap(([message = '']) => codesIn(message))
    .filter((message) => message !== '… works again')
  expect(shown.sort()).toEqual([...new Set(logged)].sort())
})

it('the log on the page has each message with the level that it is logged at', () => {
  const shown = new Map(
    log.flatMap(([message = '', level = '']) => {
      const [all = '', ...others] = level.split(', ')
      return codesIn(message).map((text, at) => [text, others.length > 0 ? [all, ...others][at] : all])
    }),
  )
  const logged = [...sources.matchAll(/logger\.(info|warn|error)\(\s*'([^']+)'/g)]
  expect(logged.length).toBeGreaterThan(20)
  for (const [, level, text = ''] of logged) expect([text, shown.get(text)]).toEqual([text, level])
})

it('a database without the deliveries that have ended holds what must hold', async () => {
  const database = new DatabaseSync(':memory:')
  const sandbox = await openSandbox({ store: sqliteStore({ database }) })
  const { engine, caller } = sandbox
  await registeredEndpoint(sandbox)
  await pay(sandbox, 'tok_test_visa')
  await attemptDue(sandbox, null)

  const [sql = ''] = blocksOf(path)
    .filter(({ language }) => language === 'sql')
    .map(({ text }) => text.replace('quittance.', 'quittance_').replace('2026-01-01', '2099-01-01'))
  expect(database.prepare(sql).run().changes).toBe(1)

  expect((await engine.verify()).violations).toEqual([])
  const [event] = accepted(await engine.events.list(caller, {})).data
  expect(accepted(await engine.events.retrieve(caller, { id: event?.id ?? '' })).deliveries).toEqual([])
})

it('a copy that is made of a file in use, as the page says, is sound and has what was committed by then', async () => {
  const { filename, remove } = temporaryFile()
  onTestFinished(remove)
  const copy = filename.replace('test.db', 'copy.db')
  const sandbox = await openSandbox({ store: sqliteStore({ filename, driver: 'node:sqlite' }) })
  await pay(sandbox, 'tok_test_visa')
  const [, command = ''] = /"(VACUUM INTO [^"]+)"/.exec(page) ?? []
  const database = new DatabaseSync(filename)
  database.exec(command.replace('copy.db', copy))
  database.close()
  await pay(sandbox, 'tok_test_visa')
  await sandbox.engine.close()

  const { engine } = sandbox.another({ store: sqliteStore({ filename: copy }) })
  onTestFinished(() => engine.close())
  const { checked, violations } = await engine.verify()
  expect([checked.payments, violations]).toEqual([1, []])
})
