import type { Logger } from '@quittance/core'
import type { RequestHandler } from 'express'
import type { Logger as Pino } from 'pino'

/** One line for each request that was answered. */
export function logRequests(log: Pino): RequestHandler {
  return (req, res, next) => {
    const started_ms = performance.now()
    const { method } = req
    const path = redacted(req.originalUrl)
    res.once('close', () =>
      log.info(
        { method, path, status: res.statusCode, took_ms: Math.round(performance.now() - started_ms) },
        'request',
      ),
    )
    next()
  }
}

/**
 * A target that may be logged. Queries carry `client_secret`, and the address of a hosted page is as good as a key.
 * Headers and bodies are not logged at all: keys and tokens are in them.
 */
export function redacted(target: string): string {
  return target.replace(/\?.*$/s, '').replace(/^\/(checkout|pay)\/.+$/s, '/$1/[redacted]')
}

export function engineLogger(log: Pino): Logger {
  return {
    info: (message, fields) => log.info(fields, message),
    warn: (message, fields) => log.warn(fields, message),
    error: (message, fields) => log.error(fields, message),
  }
}
