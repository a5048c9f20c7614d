/** For every test of a suite, whatever the author's vitest config says: all waits are shorter, and say what for. */
export const suite_timeout = { timeout: 180_000 }
