import { createHash, timingSafeEqual } from 'node:crypto'
import type { Engine } from '@quittance/core'
import { hostedPages } from '@quittance/pages'
import { createBackOffice, createHandler, type HttpHandler } from '@quittance/transport-http'
import { redisLimits } from '@quittance/transport-http/redis'
import { demoHandler } from './demo/demo-handler.ts'
import type { DevFile } from './home.ts'
import type { RedisClient } from './redis.ts'

/** The back office and the demonstration shop beside the API, each at its paths. */
export function developmentHandler(engine: Engine, file: DevFile, redis: RedisClient | null): HttpHandler {
  const limits = redis ? { limits: redisLimits(redis) } : {}
  const frames = { card: `${file.tokenizer_url}/card`, bankAccount: `${file.tokenizer_url}/bank-account` }
  const pages = hostedPages(engine, { elements: frames })
  const api = createHandler(engine, { basePath: '/v1', pages, ...limits })
  const demo = demoHandler({ engine, shop: file.demo, frames: file.tokenizer_url })
  const digest = (token: string) => createHash('sha256').update(token).digest()
  const back_office = createBackOffice(engine, {
    authorize: (token) => timingSafeEqual(digest(token), digest(file.back_office_token)),
  })
  const of_api = /^\/(v1|checkout|pay|openapi\.json)(?=[/?]|$)/
  const of_demo = /^\/demo(?=[/?]|$)/
  return (request) => {
    // A client may send the absolute URL, as to a proxy.
    const path = request.target.replace(/^https?:\/\/[^/?]*/i, '')
    if (of_demo.test(path)) return demo(request)
    return (of_api.test(path) ? api : back_office).http(request)
  }
}
