import { expect, it } from 'vitest'

/**
 * A mutant that throws on import fails here, and is killed. In a file that imports it at the top, no test fails, because none
 * is declared, and so every other file would be tried as well.
 */
it('the rules of destinations load', async () => {
  const { isPublicAddress } = await import('../../packages/core/src/webhook-endpoints/destination.ts')
  expect(isPublicAddress('93.184.216.34')).toBe(true)
})
