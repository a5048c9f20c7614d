import { afterAll, expect, it } from 'vitest'
import { openHistoryStores, playPortion } from '../src/histories.ts'

const opened = openHistoryStores()
afterAll(async () => (await opened).close())

const histories = 1_000

it(`ends ${histories} histories in the same rows in memory, on SQLite and on Postgres`, {
  timeout: 900_000,
}, async () => {
  const { stores } = await opened
  expect(await playPortion(stores, { first: 1, count: histories })).toEqual([])
})
