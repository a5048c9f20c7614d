import { inWords } from '../kernel/in-words.ts'
import type { Logger } from '../ports/logger.ts'
import type { Notifier } from '../ports/notifier.ts'
import type { Notices } from './engine-options.ts'

/** The host's notifier as the engine uses it: nobody waits for it, a fault is logged, and a missing function does nothing. */
export function guardNotifier(notifier: Notices, logger: Logger): Notifier {
  const guarded = async (notify: () => unknown) => {
    try {
      await notify()
    } catch (fault) {
      logger.error('the notifier failed', { fault: inWords(fault) })
    }
  }
  return {
    endpointPaused: (notice) => guarded(() => notifier.endpointPaused?.(notice)),
    syncFinished: (notice) => guarded(() => notifier.syncFinished?.(notice)),
  }
}
