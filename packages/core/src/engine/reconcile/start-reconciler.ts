import { inWords } from '../../kernel/in-words.ts'
import { option, refuseWrongOptions } from '../../kernel/refuse-wrong-options.ts'
import { second_ms } from '../../schema/timestamps.ts'
import type { Engine } from '../engine.ts'

/** Keeps an engine reconciled until it is stopped, or the engine closed. */
export interface Reconciler {
  /** Resolves once the rows it is at, ten at most, are done. */
  stop(): Promise<void>
}

/**
 * Makes one pass after another, with a pause of `pauseMs` (default 1 000) in between. Any number of processes may do so
 * on one store. It does not keep the host's process alive.
 */
export function startReconciler(engine: Engine, options: { pauseMs?: number | undefined } = {}): Reconciler {
  if (typeof engine?.reconcile !== 'function')
    throw new TypeError('A reconciler is that of an engine: `startReconciler(engine)`.')
  refuseWrongOptions('startReconciler', options, { pauseMs: option.positive })
  if (engine.isClosed()) throw new Error('The engine has been closed.')
  const { pauseMs: pause_ms = second_ms } = options
  const stopping = new AbortController()
  const { signal } = stopping
  let cancel = () => {}
  let pass = Promise.resolve()
  const run = () => {
    pass = engine
      .reconcile({ signal })
      .catch((fault) => {
        if (!engine.isClosed()) engine.logger.error('reconciling failed', { fault: inWords(fault) })
      })
      .then(() => {
        if (!signal.aborted && !engine.isClosed()) cancel = engine.clock.after(pause_ms, run)
      })
  }
  run()
  return {
    async stop() {
      stopping.abort()
      cancel()
      await pass
    },
  }
}
