import { expect, it } from 'vitest'
import { contentSecurityPolicy } from '../src/policy.ts'

it('keeps an address whole that has signs of the policy in it', () => {
  const loads = { script: 'https://pay.example.com/a;b,c/elements.js', frames: ['https://cards.example.com'] }
  const policy = contentSecurityPolicy(loads)
  expect(policy.split('; ')).toContain('script-src https://pay.example.com/a%3Bb%2Cc/elements.js')
})
