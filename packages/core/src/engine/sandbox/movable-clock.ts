import type { Clock } from '../../ports/clock.ts'
import { engineScope } from '../../ports/tables.ts'
import type { Services } from '../services.ts'
import { write } from '../unit-of-work/unit-of-work.ts'

/** The engine's clock: test helpers, if it has them, move its `now` ahead. `real` is not affected. */
export interface MovableClock extends Clock {
  /** How far it is ahead. */
  readonly offset_ms: number
  /** Moves ahead to this moment; never back. */
  moveTo(at_ms: number): void
  /** The same, until it is at least so far ahead. */
  keepAhead(least_ms: number): void
}

export function movableClock(clock: Clock): MovableClock {
  let offset_ms = 0
  const keepAhead = (least_ms: number) => {
    offset_ms = Math.max(offset_ms, least_ms)
  }
  return {
    get offset_ms() {
      return offset_ms
    },
    now: () => clock.now() + offset_ms,
    real: () => clock.real(),
    after: (delay_ms, wake) => clock.after(delay_ms, wake),
    keepAlive: () => clock.keepAlive?.() ?? (() => {}),
    moveTo: (at_ms) => keepAhead(at_ms - clock.now()),
    keepAhead,
  }
}

const kept_in = engineScope(false)
const id = 'clock_offset_ms'

/** Stores the largest offset of any process, so that a restart does not fall back behind the records. */
export async function keepClock(services: Services, { offset_ms }: MovableClock): Promise<void> {
  const row = { ...kept_in, id, value: String(offset_ms) }
  await write(services, kept_in, async ({ tx }) => {
    if (await tx.cursors.insertNew(row)) return
    const kept = await tx.cursors.lock(id)
    if (kept && Number(kept.value) < offset_ms) await tx.cursors.update(row)
  })
}

/** Moves the clock to the largest offset that is stored. */
export async function followClock({ store }: Services, clock: MovableClock): Promise<void> {
  const kept = await store.read(kept_in, (rows) => rows.cursors.get(id))
  if (kept) clock.keepAhead(Number(kept.value))
}
