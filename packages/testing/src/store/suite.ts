import * as vitest from 'vitest'

/** What a suite is written with. */
export interface SuiteRunner {
  describe(name: string, parts: () => void): void
  it: vitest.TestAPI
  beforeEach(run: () => Promise<void>, timeout?: number): void
  afterEach(run: () => Promise<void>, timeout?: number): void
}

/** Vitest's own, but while another runner is told a suite. */
export let { describe, it, beforeEach, afterEach }: SuiteRunner = vitest

/** Tells `runner` what `tell` describes, for who runs the sentences of a suite within a test. */
export function toldTo(runner: SuiteRunner, tell: () => void): void {
  ;({ describe, it, beforeEach, afterEach } = runner)
  try {
    tell()
  } finally {
    ;({ describe, it, beforeEach, afterEach } = vitest)
  }
}
