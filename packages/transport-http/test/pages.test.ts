import { expect, it } from 'vitest'
import { hostedPages } from '../../pages/src/hosted-pages.ts'
import { createHandler } from '../src/handler.ts'
import type { Pages } from '../src/pages.ts'
import { openShop } from './shop.ts'

const wrong: [string, Pages, string][] = [
  ['were not made for an engine', hostedPages as unknown as Pages, 'Hosted pages are those of an engine'],
  ['reject', () => Promise.reject(new Error('no template')), 'no template.* at '],
  ['reject with a text', () => Promise.reject('no paper'), 'no paper'],
]

it.each(wrong)('a request whose pages %s is answered 500, and logged', async (_, pages, says) => {
  const { engine, logged } = await openShop()
  const response = await createHandler(engine, { pages })(new Request('https://pay.example.com/v1/account'))
  expect([response.status, await response.text()]).toEqual([500, ''])
  expect(logged).toEqual([expect.stringMatching(new RegExp(`^pages failed.*${says}`))])
})

it.each([null, undefined])('a request for which pages give %s is one for the API', async (none) => {
  const { engine, keys } = await openShop()
  const headers = { authorization: `Bearer ${keys.secret}` }
  const request = new Request('https://pay.example.com/v1/account', { headers })
  const pages = () => none as null
  expect((await createHandler(engine, { pages })(request)).status).toBe(200)
})
