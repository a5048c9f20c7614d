import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Engine } from '@quittance/core'
import { type HostBody, readBody } from './body-source.ts'
import { refuseAddress } from './fetch.ts'
import { createHandler, type HandlerOptions } from './handler.ts'
import { addressFrom } from './message.ts'
import { serve } from './node.ts'
import { originForm } from './query.ts'

/** The part of Express's request that is needed here, so that the host's own version of its types fits. */
export interface ExpressRequest extends IncomingMessage, HostBody {
  /** The prefix this was mounted under, as sent; `url` begins after it. */
  baseUrl: string
  /** The client's address, by the host's `trust proxy`. */
  ip?: string | undefined
}

export type ExpressRouter = (req: ExpressRequest, res: ServerResponse) => void

/**
 * `app.use('/v1', expressRouter(engine))`, before or after the host's body parsers, and under any number of prefixes.
 * `basePath` is relative to the prefix, and by default the prefix itself. Everything below it is answered. Behind a
 * JSON parser, responses are the same only if the parser keeps the bytes in `rawBody`.
 */
export function expressRouter(
  engine: Engine,
  { basePath = '/', ...options }: Omit<HandlerOptions, 'remoteAddress'> = {},
): ExpressRouter {
  refuseAddress(options, 'trust proxy')
  const { http: handle } = createHandler(engine, { ...options, basePath })
  return (req, res) =>
    void serve({ handle, req, res, body: () => readBody(req) }, () => ({
      target: req.baseUrl + originForm(req.url ?? '/'),
      mount: req.baseUrl,
      ...addressFrom(() => req.ip),
    }))
}
