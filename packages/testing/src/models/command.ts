import type { Result } from '@quittance/core'
import type { AsyncCommand } from 'fast-check'
import type { Sandbox } from '../builders/sandbox.ts'
import { expectInvariants } from '../invariants/expect-invariants.ts'
import type { Rows } from '../invariants/rows.ts'
import { expectModel } from './expect-model.ts'
import type { Model } from './model.ts'

/** The system that is compared with the model, and its rows as the last step left them. */
export interface Running {
  sandbox: Sandbox
  rows: Rows
}

export interface Command extends AsyncCommand<Model, Running> {
  /** Only the action, without checks: for a step made of several actions, checked once at its end. */
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

/** The item that a drawn number stands for, small numbers for late items; undefined if there are none. */
export function chosen<Item>(items: readonly Item[], drawn: number): Item | undefined {
  return items[items.length - 1 - (drawn % Math.max(1, items.length))]
}

/** The code with which a call was refused; null if it was not. */
export function codeOf(result: Result<unknown, { code: string }>): string | null {
  return result.isErr() ? result.error.code : null
}

/** Fails if the system answers differently from the model. */
export function mustEqual(what: string, answered: unknown, expected: unknown): void {
  if (answered !== expected) throw new Error(`${what} answered ${answered}, expected ${expected}`)
}

export function nowOf({ sandbox }: Running): number {
  return sandbox.engine.clock.now()
}
