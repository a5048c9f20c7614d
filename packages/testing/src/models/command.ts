import type { Result } from '@quittance/core'
import type { AsyncCommand } from 'fast-check'
import type { Sandbox } from '../builders/sandbox.ts'
import { expectInvariants } from '../invariants/expect-invariants.ts'
import type { Rows } from '../invariants/rows.ts'
import { expectModel } from './expect-model.ts'
import type { Model } from './model.ts'

/** The system beside the model, and its rows as the last step left them. */
export interface Running {
  sandbox: Sandbox
  rows: Rows
}

export interface Command extends AsyncCommand<Model, Running> {
  /** Only what it does: for a step made of several, of which the last state is checked. */
  act(model: Model, running: Running): Promise<void>
}

/** A step of a history. After it the system is compared with the model, and everything that must always hold is checked. */
export function command(name: string, act: Command['act']): Command {
  return {
    check: () => true,
    act,
    async run(model, running) {
      await act(model, running)
      const about = `after ${name}`
      running.rows = await expectInvariants(running.sandbox, about, { before: running.rows })
      expectModel(model, about, { rows: running.rows, now_ms: nowOf(running) })
    },
    toString: () => name,
  }
}

/** The one of `items` that a drawn number stands for, small numbers for late ones; undefined where there is none. */
export function chosen<Item>(items: readonly Item[], drawn: number): Item | undefined {
  return items[items.length - 1 - (drawn % Math.max(1, items.length))]
}

/** What a call was refused with; null where it was not. */
export function codeOf(result: Result<unknown, { code: string }>): string | null {
  return result.isErr() ? result.error.code : null
}

/** Fails where the system answers something else than the model. */
export function mustEqual(what: string, answered: unknown, expected: unknown): void {
  if (answered !== expected) throw new Error(`${what} answered ${answered}, expected ${expected}`)
}

export function nowOf({ sandbox }: Running): number {
  return sandbox.engine.clock.now()
}
