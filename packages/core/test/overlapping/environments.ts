import { type Sandbox, sandboxIn } from '../../../testing/src/builders/sandbox.ts'
import { type Rows, readRows } from '../../../testing/src/invariants/rows.ts'
import type { TableName } from '../../src/ports/tables.ts'
import type { Request } from './world.ts'

/** The live environment of the same workspace. */
export async function liveBeside(sandbox: Sandbox): Promise<Sandbox> {
  const live = await sandboxIn(sandbox, { ...sandbox.scope, livemode: true })
  return { ...live, processor: sandbox.live_processor }
}

/** The request as it is sent with a key of this environment, to whichever process. */
export function sentIn({ scope, caller, browser, processor }: Sandbox, request: Request): Request {
  const seen = (process: Sandbox): Sandbox => ({ ...process, scope, caller, browser, processor })
  const { about, run, afterwards } = request
  return {
    ...request,
    about: `${scope.livemode ? 'live' : 'test'}: ${about}`,
    run: (process) => run(seen(process)),
    ...(afterwards ? { afterwards: (process: Sandbox) => afterwards(seen(process)) } : {}),
  }
}

/** The rows of all of them. */
export async function readAll(environments: readonly Sandbox[]): Promise<Rows> {
  const [first, ...others] = await Promise.all(environments.map(({ store, scope }) => readRows(store, scope)))
  if (first === undefined) throw new Error('there is no environment')
  const names = Object.keys(first) as TableName[]
  const all = names.map((name) => [name, [first, ...others].flatMap((rows): readonly object[] => rows[name])])
  return Object.fromEntries(all) as Rows
}

/** M47: each processor sees the payments and refunds of its own environment. */
export function strayed({ processor, live_processor }: Sandbox): string[] {
  const keys = ({ ledger }: Sandbox['processor']) =>
    [...ledger.charges(), ...ledger.refunds()].map(({ key }) => key)
  return [
    ...keys(processor).filter((key) => !key.includes('_test_')),
    ...keys(live_processor).filter((key) => !key.includes('_live_')),
  ].map((key) => `${key} was sent to the processor of the other environment`)
}
