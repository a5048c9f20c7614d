import { onTestFinished } from 'vitest'
import { openSandboxesOn } from '../../../testing/src/builders/sandbox.ts'
import type { Random } from '../../../testing/src/random.ts'
import type { Store } from '../../src/ports/store.ts'
import type { RaceRows } from '../simulation/race.ts'
import { memory } from './memory.ts'

/** A transaction of a host in the same database, on a connection of its own. */
export interface Hosted {
  readonly native: unknown
  commit(): Promise<void>
  rollback(): Promise<void>
}

export interface SharedRows extends RaceRows {
  begin(): Promise<Hosted>
  /** Breaks a connection of one of the stores: one at work, or with what is sent or answered next. */
  breakOne?(random: Random): Promise<void>
}

/** A store that the tests of the engine run on: a project of `vitest.config.ts`, whose set-up is a file beside this. */
export interface TestedStore {
  name: string
  /** Of the histories that a search tries in memory, how many it tries here. */
  share: number
  /** Whether a history comes out the same each time: no disk and no other process has a say in it. */
  repeats: boolean
  /** A store on rows that nobody else has, and none yet. */
  open(): Promise<Store>
  /** The same twice on the same rows, as two processes have it; left out where rows live in one process alone. */
  openTwice?(): Promise<SharedRows>
  /** Lets others go first, counted in what a request waits for here: in other units the same one always wins. */
  late(random: Random): Promise<void>
}

let tested: TestedStore = memory

/** For a set-up: the tests of a file, and the sandboxes they open, have this store. */
export function runTestsOn(store: TestedStore): void {
  tested = store
  openSandboxesOn(freshStore)
}

export function testedStore(): TestedStore {
  return tested
}

/** What the history that is running has opened. */
let of_history: Store[] | undefined

/** Migrated and without rows; closed after the test. */
export async function freshStore(): Promise<Store> {
  const store = await tested.open()
  if (of_history === undefined) onTestFinished(() => store.close())
  else of_history.push(store)
  await store.migrate()
  return store
}

/** Closes the stores of one history before the next, where a test runs hundreds of them, one after another. */
export async function closingStores<Answer>(history: () => Promise<Answer>): Promise<Answer> {
  const opened: Store[] = []
  of_history = opened
  try {
    return await history()
  } finally {
    of_history = undefined
    for (const store of opened) await store.close()
  }
}

/** How many histories a search tries that tries so many in memory. */
export function runs(in_memory: number): number {
  return Math.ceil(in_memory * tested.share)
}
