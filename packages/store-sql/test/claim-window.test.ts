import { expect, it } from 'vitest'
import { ClaimWindow } from '../src/claim-window.ts'

it('looks at more after each claim that had to step, as long as that takes less than the steps', () => {
  const window = new ClaimWindow()
  const sizes = Array.from({ length: 4 }, () => {
    const { size } = window
    window.adapt(700)
    return size
  })
  expect(sizes).toEqual([256, 512, 1_024, 1_656])
  window.adapt(10)
  expect(window.size).toBe(276)
})

it('looks at a little less after each claim that did not have to, and never at less than at first', () => {
  const window = new ClaimWindow()
  window.adapt(5_000)
  window.adapt(0)
  expect(window.size).toBe(501)
  for (let claims = 0; claims < 100; claims += 1) window.adapt(0)
  expect(window.size).toBe(256)
})
