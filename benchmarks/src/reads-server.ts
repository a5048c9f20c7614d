import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Engine } from '@quittance/core'
import { sqliteStore } from '@quittance/store-sqlite'
import { createHandler, toNodeListener } from '@quittance/transport-http'
import { expressRouter } from '@quittance/transport-http/express'
import { fastifyPlugin } from '@quittance/transport-http/fastify'
import Database from 'better-sqlite3'
import express from 'express'
import fastify from 'fastify'
import { endWhenTold } from './child.ts'
import { must, openShop } from './shop.ts'

export type Framework = 'node:http' | 'Express' | 'Fastify'

/** What this server sends when it listens. */
export interface ReadsServer {
  /** Ports: of the mounted engine, of a handler that reads the row, and of one that has the engine check the key and read. */
  engine: number
  bare: number
  asking: number
  secret_key: string
  id: string
}

/** The same read by the engine mounted on a framework, and by a handler of the framework's own. */
interface Mounts {
  engine(engine: Engine): Promise<Server> | Server
  bare(read: Read): Promise<Server> | Server
}

/** Finds the payment, and sends the bytes of the response. */
type Read = (
  wanted: { id: string; authorization?: string | undefined },
  send: (answer: string) => void,
) => void

const path = '/v1/payments'

const mounts: Record<Framework, Mounts> = {
  'node:http': {
    engine: (engine) => createServer(toNodeListener(createHandler(engine))),
    bare: (read) =>
      createServer((req, res) => {
        const { authorization } = req.headers
        read({ id: (req.url ?? '').slice(path.length + 1), authorization }, (answer) => {
          const length = Buffer.byteLength(answer)
          res.writeHead(200, { 'content-type': 'application/json', 'content-length': length })
          res.end(answer)
        })
      }),
  },
  Express: {
    engine: (engine) => createServer(express().use('/v1', expressRouter(engine))),
    bare: (read) =>
      createServer(
        express().get(`${path}/:id`, (req, res) =>
          read(
            { id: req.params.id, authorization: req.headers.authorization },
            (answer) => void res.type('json').send(answer),
          ),
        ),
      ),
  },
  Fastify: {
    async engine(engine) {
      const app = fastify()
      await app.register(fastifyPlugin, { engine, prefix: '/v1' })
      await app.ready()
      return app.server
    },
    async bare(read) {
      const app = fastify()
      app.get<{ Params: { id: string } }>(`${path}/:id`, (request, reply) => {
        const { authorization } = request.headers
        read(
          { id: request.params.id, authorization },
          (answer) => void reply.type('application/json').send(answer),
        )
      })
      await app.ready()
      return app.server
    },
  },
}

const [framework = 'node:http', filename = ''] = process.argv.slice(2)
const { engine, bare } = mounts[framework as Framework]
const shop = await openShop(sqliteStore({ filename }))
const caller = await shop.engine.caller(shop.scope)
const { payment_method } = shop
const terms = { amount: 1_000, currency: 'USD' as const, payment_method }
const payment = must(await shop.engine.payments.create(caller, terms, { idempotency_key: 'one' }))

const db = new Database(filename, { readonly: true })
const row = db.prepare('SELECT * FROM quittance_payments WHERE workspace = ? AND livemode = 0 AND id = ?')
const answer = JSON.stringify(payment)
const nobody = { ip_address: null, user_agent: null }
const readRow: Read = ({ id }, send) => {
  if (row.get(shop.scope.workspace, id) === undefined) throw new Error('gone')
  send(answer)
}
const askEngine: Read = async ({ id, authorization }, send) => {
  const { caller } = must(await shop.engine.authenticate(authorization, nobody))
  send(JSON.stringify(must(await shop.engine.payments.retrieve(caller, { id }))))
}

const ready: ReadsServer = {
  engine: await listen(await engine(shop.engine)),
  bare: await listen(await bare(readRow)),
  asking: await listen(await bare(askEngine)),
  secret_key: shop.secret_key,
  id: payment.id,
}
process.send?.(ready)
endWhenTold()

function listen(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
  })
}
