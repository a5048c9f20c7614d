import { mkdirSync, rmdirSync, statSync } from 'node:fs'

/**
 * Nobody holds a lock for longer than it takes to read a ledger: older ones are left over from the killed, and so are those
 * from a time to come, since when the clock was set back.
 */
const stale_ms = 5_000

const sleeper = new Int32Array(new SharedArrayBuffer(4))

/** Runs `run` while no other process of this machine does under the same path: a folder that only one of them can make. */
export function locked<Value>(path: string, run: () => Value): Value {
  while (!taken(path)) {
    if (isStale(path)) breakUp(path)
    Atomics.wait(sleeper, 0, 0, 1)
  }
  try {
    return run()
  } finally {
    letGo(path)
  }
}

function taken(path: string): boolean {
  return unless('EEXIST', () => mkdirSync(path))
}

function isStale(path: string): boolean {
  let age_ms = 0
  unless('ENOENT', () => {
    age_ms = Math.abs(Date.now() - statSync(path).mtimeMs)
  })
  return age_ms > stale_ms
}

/** One at a time, and after another look: two who saw the same old lock would remove each other's new one. */
function breakUp(path: string): void {
  const breaking = `${path}.breaking`
  if (isStale(breaking)) letGo(breaking)
  if (!taken(breaking)) return
  if (isStale(path)) letGo(path)
  letGo(breaking)
}

function letGo(path: string): void {
  unless('ENOENT', () => rmdirSync(path))
}

/** Whether it was done; false where it fails with this code. */
function unless(code: string, run: () => void): boolean {
  try {
    run()
    return true
  } catch (fault) {
    if (fault instanceof Error && 'code' in fault && fault.code === code) return false
    throw fault
  }
}
