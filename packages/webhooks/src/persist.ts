import type { Engine } from '@quittance/core'
import { backoffAfter } from './outage.ts'

/** Tries again, later each time, until it works or `isOver`. Never rejects, if `attempt` does not. */
export async function persist(
  { clock }: Pick<Engine, 'clock'>,
  attempt: () => Promise<boolean>,
  isOver: () => boolean,
): Promise<'at once' | 'late' | 'never'> {
  for (let failures = 0; ; failures += 1) {
    if (await attempt()) return failures === 0 ? 'at once' : 'late'
    if (isOver()) return 'never'
    await new Promise<void>((resolve) => clock.after(backoffAfter(failures + 1), resolve))
  }
}
