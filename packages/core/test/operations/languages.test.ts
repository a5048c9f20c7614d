import { afterEach, expect, it } from 'vitest'
import { z } from 'zod'
import { openSandbox } from '../../../testing/src/builders/sandbox.ts'

afterEach(() => void z.config(z.locales.en()))

it('answers in English, whatever language the host has given zod', async () => {
  const { engine, caller } = await openSandbox()
  z.config(z.locales.de())
  const pages = { success_url: 'https://shop.example.com/', cancel_url: 'https://shop.example.com/' }
  const message = async (input: object) => {
    const refused = await engine.checkout_sessions.create(caller, { ...pages, ...input } as never)
    return refused.match(
      () => null,
      ({ message }) => message,
    )
  }
  expect(await message({ currency: 'USD' })).toBe('This parameter is required.')
  expect(await message({ amount: 'much', currency: 'USD' })).toContain('expected number')
})
