import type { Engine } from '@quittance/core'
import { backoffAfter, type Outage } from '../outage.ts'

interface Tries {
  outage: Outage
  work: () => Promise<void>
  /** Whether it is too late for another try. */
  isOver: () => boolean
}

/** Tries `work` again, later each time, until it succeeds or `isOver`. Never rejects. */
export async function retry(
  { clock }: Pick<Engine, 'clock'>,
  { outage, work, isOver }: Tries,
): Promise<'at once' | 'late' | 'never'> {
  for (let failures = 0; ; failures += 1) {
    try {
      await work()
      outage.worked()
      return failures === 0 ? 'at once' : 'late'
    } catch (fault) {
      outage.failed(fault)
    }
    if (isOver()) return 'never'
    await new Promise<void>((resolve) => clock.after(backoffAfter(failures + 1), resolve))
  }
}
