import * as vitest from 'vitest'

type Parts = [parts: () => void] | [options: vitest.TestOptions, parts: () => void]

/** What a suite is written with. */
export interface SuiteRunner {
  describe(name: string, ...parts: Parts): void
  it: vitest.TestAPI
  beforeEach(run: () => Promise<void>, timeout?: number): void
  afterEach(run: () => Promise<void>, timeout?: number): void
}

const in_vitest: SuiteRunner = {
  describe(name, ...parts) {
    if (process.env.VITEST === undefined)
      throw new Error(`"${name}" is a suite of vitest: run this file with \`npx vitest run\`.`)
    if (parts.length === 1) vitest.describe(name, ...parts)
    else vitest.describe(name, ...parts)
  },
  it: vitest.it,
  beforeEach: vitest.beforeEach,
  afterEach: vitest.afterEach,
}

/** Vitest's own, except while a suite is declared to another runner. */
export let { describe, it, beforeEach, afterEach } = in_vitest

/** Declares to `runner` what `tell` describes, to run the sentences of a suite within a test. */
export function toldTo(runner: SuiteRunner, tell: () => void): void {
  ;({ describe, it, beforeEach, afterEach } = runner)
  try {
    tell()
  } finally {
    ;({ describe, it, beforeEach, afterEach } = in_vitest)
  }
}

/** For every test of a suite, whatever the author's vitest config says: all waits are shorter, and say what for. */
export const suite_timeout = { timeout: 180_000 }

/** For what must come, though nothing says how soon: a broker may be slow while many suites run at once. */
export const soon = { timeout: 10_000, interval: 20 }
