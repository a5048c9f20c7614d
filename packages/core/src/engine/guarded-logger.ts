import type { Logger } from '../ports/logger.ts'

/** The host's logger as the engine uses it: what it throws is dropped, so that no work ends because of a log line. */
export function guardLogger(logger: Logger): Logger {
  const guarded =
    (level: keyof Logger) =>
    async (...said: Parameters<Logger['error']>) => {
      try {
        await logger[level](...said)
      } catch {
        // There is nowhere else to report it.
      }
    }
  return { info: guarded('info'), warn: guarded('warn'), error: guarded('error') }
}
