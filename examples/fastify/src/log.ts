import type { Logger } from '@quittance/core'
import type { FastifyBaseLogger, FastifyRequest } from 'fastify'

/** Fastify's own log, without secrets: by default it writes whole targets, queries included. */
export const redactedLog = {
  serializers: {
    req: ({ method, url }: Pick<FastifyRequest, 'method' | 'url'>) => ({ method, url: redacted(url) }),
  },
}

/**
 * A target that may be logged. Queries carry `client_secret`, and the address of a hosted page is as good as a key.
 * Headers and bodies are not logged at all: keys and tokens are in them.
 */
export function redacted(target: string): string {
  return target.replace(/\?.*$/s, '').replace(/^\/(checkout|pay)\/.+$/s, '/$1/[redacted]')
}

export function engineLogger(log: FastifyBaseLogger): Logger {
  return {
    info: (message, fields) => log.info(fields, message),
    warn: (message, fields) => log.warn(fields, message),
    error: (message, fields) => log.error(fields, message),
  }
}
