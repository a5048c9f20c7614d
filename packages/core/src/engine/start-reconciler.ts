import { second_ms } from '../schema/timestamps.ts'
import type { Engine } from './create-engine.ts'

/** Keeps an engine reconciled until it is stopped. */
export interface Reconciler {
  /** Resolves once the pass under way is over. */
  stop(): Promise<void>
}

/** Runs a pass, rests for `pause_ms`, and so on. Any number of processes may do so on one store. */
export function startReconciler(
  engine: Engine,
  { pause_ms = second_ms }: { pause_ms?: number } = {},
): Reconciler {
  let stopped = false
  let cancel = () => {}
  let pass = Promise.resolve()
  const run = () => {
    pass = engine
      .reconcile()
      .catch((fault) => engine.logger.error('reconciling failed', { fault: String(fault) }))
      .then(() => {
        if (!stopped) cancel = engine.clock.after(pause_ms, run)
      })
  }
  run()
  return {
    async stop() {
      stopped = true
      cancel()
      await pass
    },
  }
}
