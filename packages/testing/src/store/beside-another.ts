import { setTimeout } from 'node:timers/promises'
import type { Store, Transaction } from '@quittance/core'
import { commit, here } from './opened.ts'

/** Something to do in a unit of work, which has a name of its own. */
type Step = (tx: Transaction, unit: string) => PromiseLike<unknown>

/** Less than the Postgres store lets a statement wait for a lock before it runs the unit again. */
const held_ms = 1_000

/** Time for `second` to get through if a lock is missing. If it waits as it should, a test takes this long. */
const meeting_ms = 100

/**
 * Begins `second` when `first`, in a unit that is still open, calls `meanwhile`. That resolves once `second` is done, or
 * after a moment if `second` waits for `first`. Only one outcome is right, whichever comes first, however often units run.
 */
export async function meeting<First, Second>(
  first: (meanwhile: () => Promise<void>) => Promise<First>,
  second: () => Promise<Second>,
): Promise<[PromiseSettledResult<First>, PromiseSettledResult<Second>]> {
  let other: Promise<PromiseSettledResult<Second>> | undefined
  const beginOther = () => {
    other ??= Promise.allSettled([second()]).then(([outcome]) => outcome)
    return other
  }
  const meanwhile = async () => void (await Promise.race([beginOther(), setTimeout(meeting_ms)]))
  const [outcome] = await Promise.allSettled([first(meanwhile)])
  return [outcome, await beginOther()]
}

/** Whether a unit waits with this step while another has taken it and is open. Tried three times: no machine is always busy. */
export async function waitsForAnother(store: Store, step: Step): Promise<boolean> {
  for (let times = 0; times < 3; times += 1) {
    if (!(await waitsOnce(store, (tx, unit) => step(tx, `${unit} ${times}`)))) return false
  }
  return true
}

/** False in a store whose units run one after another: there the second begins after the first. */
async function waitsOnce(store: Store, step: Step): Promise<boolean> {
  const [first_done, second_done] = [Promise.withResolvers<void>(), Promise.withResolvers<false>()]
  let has_begun = false
  let waits = false
  const first = commit(store, here, async (tx) => {
    await step(tx, 'first')
    first_done.resolve()
    for (let waited_ms = 0; waited_ms < 500 && !has_begun; waited_ms += 5) await setTimeout(5)
    if (has_begun) waits = await Promise.race([second_done.promise, setTimeout(held_ms, true)])
  })
  await first_done.promise
  const second = commit(store, here, async (tx) => {
    has_begun = true
    await step(tx, 'second')
    second_done.resolve(false)
  })
  await Promise.all([first, second])
  return waits
}
