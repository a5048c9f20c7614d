import { describe, expect, it } from 'vitest'
import { bannedCalls } from './tidy/calls.ts'
import { coreLayers, cycles, operationsApart, packageStar } from './tidy/imports.ts'
import {
  anyCasts,
  barrels,
  longFiles,
  longFunctions,
  neverthrowImports,
  silencingComments,
  unrunTests,
} from './tidy/shape.ts'
import { parseSource, type Rule } from './tidy/sources.ts'

const core = 'packages/core/src'

interface Sample {
  rule: Rule
  /** File by file. */
  good: Record<string, string>
  bad: Record<string, string>
  /** Where the bad one is at fault. */
  at: string
}

const lines = (count: number) => 'call()\n'.repeat(count)

const samples: Record<string, Sample> = {
  'a file of 251 lines is too long': {
    rule: longFiles,
    good: { 'a.ts': lines(250) },
    bad: { 'a.ts': lines(251) },
    at: 'a.ts:251',
  },
  'a function of 61 lines is too long': {
    rule: longFunctions,
    good: { 'a.ts': `function f() {\n${lines(58)}}\n` },
    bad: { 'a.ts': `\nconst f = () => {\n${lines(59)}}\n` },
    at: 'a.ts:2',
  },
  'a function that hides in a call is measured': {
    rule: longFunctions,
    good: { 'a.ts': `run(() => {\n${lines(58)}})\n` },
    bad: { 'a.ts': `run(() => {\n${lines(59)}})\n` },
    at: 'a.ts:1',
  },
  'declared functions and registered tests are measured for themselves': {
    rule: longFunctions,
    good: { 'a.ts': `function f() {\n${lines(40)}function g() {\n${lines(40)}}\n}\n` },
    bad: { 'a.ts': `describe('a', () => {\nit('b', () => {\n${lines(70)}})\n})\n` },
    at: 'a.ts:2',
  },
  'a skipped test is found': {
    rule: unrunTests,
    good: { 'a.ts': `it('a', () => list.skip(1))` },
    bad: { 'a.ts': `\n\nit.skip('a', () => {})` },
    at: 'a.ts:3',
  },
  'a test that runs alone is found, also among many': {
    rule: unrunTests,
    good: { 'a.ts': `describe.each([1])('a', () => {})` },
    bad: { 'a.ts': `\ndescribe.only.each([1])('a', () => {})` },
    at: 'a.ts:2',
  },
  'a cast to any is found': {
    rule: anyCasts,
    good: { 'a.ts': `const text = 'x as any'` },
    bad: { 'a.ts': 'const a = x as any' },
    at: 'a.ts:1',
  },
  'a comment that silences the compiler is found': {
    rule: silencingComments,
    good: { 'a.ts': `const text = '// @ts-ignore'` },
    bad: { 'a.ts': 'const a = 1\n// @ts-ignore\nconst b = 2' },
    at: 'a.ts:2',
  },
  'a comment that silences the linter is found, also at the end of a line': {
    rule: silencingComments,
    good: { 'a.ts': 'const a = 1 // a reason' },
    bad: { 'a.ts': 'const a = 1 // biome-ignore lint: no' },
    at: 'a.ts:1',
  },
  'work put off is found, also at the end of a file': {
    rule: silencingComments,
    good: { 'a.ts': '/** All done. */\nconst a = 1\n' },
    bad: { 'a.ts': 'const a = 1\n/* TODO */\n' },
    at: 'a.ts:2',
  },
  'a file that only re-exports is a barrel': {
    rule: barrels,
    good: { [`${core}/index.ts`]: `export { a } from './a.ts'` },
    bad: { [`${core}/payments/index.ts`]: `export { a } from './a.ts'` },
    at: `${core}/payments/index.ts:1`,
  },
  'exports are listed by name': {
    rule: barrels,
    good: { [`${core}/index.ts`]: `export type { A } from './a.ts'` },
    bad: { [`${core}/index.ts`]: `export * from './a.ts'` },
    at: `${core}/index.ts:1`,
  },
  'neverthrow has one home': {
    rule: neverthrowImports,
    good: { [`${core}/kernel/result.ts`]: `export { ok } from 'neverthrow'` },
    bad: { [`${core}/kernel/page.ts`]: `import { ok } from 'neverthrow'` },
    at: `${core}/kernel/page.ts:1`,
  },
  'a record does not import a machine': {
    rule: coreLayers,
    good: { [`${core}/payments/payment-machine.ts`]: `import { payment } from './payment.ts'` },
    bad: { [`${core}/payments/payment.ts`]: `\nimport { decide } from './payment-machine.ts'` },
    at: `${core}/payments/payment.ts:2`,
  },
  'an operation does not import the engine': {
    rule: coreLayers,
    good: { [`${core}/engine/execute.ts`]: `import { a } from '../refunds/create-refund.ts'` },
    bad: { [`${core}/refunds/create-refund.ts`]: `import { a } from '../engine/execute.ts'` },
    at: `${core}/refunds/create-refund.ts:1`,
  },
  'types may point up, values may not': {
    rule: coreLayers,
    good: { [`${core}/kernel/operation.ts`]: `import { type Store } from '../ports/store.ts'` },
    bad: { [`${core}/kernel/operation.ts`]: `import { type Store, open } from '../ports/store.ts'` },
    at: `${core}/kernel/operation.ts:1`,
  },
  'a store does not know the engine': {
    rule: coreLayers,
    good: { [`${core}/memory-store/memory-store.ts`]: `import { tables } from '../ports/tables.ts'` },
    bad: { [`${core}/memory-store/memory-store.ts`]: `import { execute } from '../engine/execute.ts'` },
    at: `${core}/memory-store/memory-store.ts:1`,
  },
  'an operation does not import another': {
    rule: operationsApart,
    good: {
      [`${core}/engine/operations.ts`]: `import { makePayment } from '../payments/make-payment.ts'`,
      [`${core}/refunds/make-refund.ts`]: `import { limit } from '../payments/make-payment.ts'`,
    },
    bad: {
      [`${core}/engine/operations.ts`]: `import { makePayment } from '../payments/make-payment.ts'`,
      [`${core}/refunds/make-refund.ts`]: `import { makePayment } from '../payments/make-payment.ts'`,
    },
    at: `${core}/refunds/make-refund.ts:1`,
  },
  'imports do not run in a circle': {
    rule: cycles,
    good: { 'p/a.ts': `import { b } from './b.ts'`, 'p/b.ts': `import type { C } from './c.ts'` },
    bad: { 'p/a.ts': `import { b } from './b.ts'`, 'p/b.ts': `import type { A } from './a.ts'` },
    at: 'p/a.ts:1',
  },
  'adapters do not import each other': {
    rule: packageStar,
    good: { 'packages/webhooks/src/a.ts': `import { ok } from '@quittance/core'` },
    bad: { 'packages/webhooks/src/a.ts': `import { routes } from '@quittance/transport-http'` },
    at: 'packages/webhooks/src/a.ts:1',
  },
  'core imports no sibling': {
    rule: packageStar,
    good: { 'packages/store-sqlite/src/a.ts': `import { a } from '@quittance/store-sql'` },
    bad: { 'packages/core/src/a.ts': `import { a } from '@quittance/store-sql'` },
    at: 'packages/core/src/a.ts:1',
  },
  'no package reaches into another': {
    rule: packageStar,
    good: { 'packages/cli/src/a.ts': `import { a } from './b.ts'` },
    bad: { 'packages/cli/src/a.ts': `import { a } from '../../core/src/a.ts'` },
    at: 'packages/cli/src/a.ts:1',
  },
  'the time of day comes from the clock': {
    rule: bannedCalls,
    good: { [`${core}/ports/clock.ts`]: 'Date.now()', [`${core}/a.ts`]: 'new Date(at_ms)' },
    bad: { [`${core}/a.ts`]: 'const a = new Date()' },
    at: `${core}/a.ts:1`,
  },
  'a banned call is found where it is only handed on': {
    rule: bannedCalls,
    good: { 'packages/webhooks/src/a.ts': 'clock.setTimeout(wake, 1)' },
    bad: { 'packages/webhooks/src/a.ts': 'const options = { now: Date.now }' },
    at: 'packages/webhooks/src/a.ts:1',
  },
}

describe('the rules of the house find what is against them', () => {
  it.each(Object.entries(samples))('%s', (_sentence, { rule, good, bad, at }) => {
    expect(rule(parsed(good))).toEqual([])
    const found = rule(parsed(bad))
    expect(found).toHaveLength(1)
    expect(found[0]).toMatch(new RegExp(`^${at.replace(/[.]/g, '\\.')} `))
  })
})

function parsed(files: Record<string, string>) {
  return Object.entries(files).map(([path, text]) => parseSource(path, text))
}
