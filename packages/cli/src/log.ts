import type { Logger } from '@quittance/core'

/** A line each: the time, the level, the message, and the fields as JSON. */
export const consoleLogger: Logger = {
  info: (message, fields) => console.log(line('info', message, fields)),
  warn: (message, fields) => console.warn(line('warn', message, fields)),
  error: (message, fields) => console.error(line('error', message, fields)),
}

function line(level: string, message: string, fields: Record<string, unknown> = {}): string {
  const rest = Object.keys(fields).length > 0 ? ` ${JSON.stringify(fields)}` : ''
  return `${new Date().toISOString()} ${level} ${message}${rest}`
}
