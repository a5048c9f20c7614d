import { mkdirSync, rmdirSync, statSync } from 'node:fs'
import { isError } from '@quittance/core'

/**
 * No process holds a lock for longer than it takes to read a ledger: an older lock is left over from a killed process, and so
 * is one from the future, made before the clock was set back.
 */
const stale_ms = 5_000

const sleeper = new Int32Array(new SharedArrayBuffer(4))

/** Runs `run` while no other process of this machine does so under the same path: a folder, which only one of them can make. */
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

/** One process at a time, after another look: two that saw the same old lock would remove each other's new one. */
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

/** Whether `run` succeeded; false if it failed with this code. */
function unless(code: string, run: () => void): boolean {
  try {
    run()
    return true
  } catch (fault) {
    if (isError(fault) && 'code' in fault && fault.code === code) return false
    throw fault
  }
}
