/** Of every test of a suite, whatever the author's vitest is told: what waits does so for less, and says what for. */
export const suite_timeout = { timeout: 180_000 }
