import * as vitest from 'vitest'

/** What a suite is written with. */
export interface SuiteRunner {
  describe(name: string, parts: () => void): void
  describe(name: string, options: vitest.TestOptions, parts: () => void): void
  it: vitest.TestAPI
  beforeEach(run: () => Promise<void>, timeout?: number): void
  afterEach(run: () => Promise<void>, timeout?: number): void
}

/** Vitest's own, except while a suite is declared to another runner. */
export let { describe, it, beforeEach, afterEach }: SuiteRunner = vitest

/** Declares to `runner` what `tell` describes, to run the sentences of a suite within a test. */
export function toldTo(runner: SuiteRunner, tell: () => void): void {
  ;({ describe, it, beforeEach, afterEach } = runner)
  try {
    tell()
  } finally {
    ;({ describe, it, beforeEach, afterEach } = vitest)
  }
}
