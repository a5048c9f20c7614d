import { createHash, timingSafeEqual } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileConnector, ledgerConnector } from '@quittance/connectors'
import { createEngine, type Engine, startReconciler } from '@quittance/core'
import { hostedPages } from '@quittance/pages'
import { fileLedger, simulatedProcessor } from '@quittance/processor-simulator'
import { sqliteStore } from '@quittance/store-sqlite'
import {
  createBackOffice,
  createHandler,
  type HttpHandler,
  type NodeListener,
  toNodeListener,
} from '@quittance/transport-http'
import { startDispatcher } from '@quittance/webhooks'
import { type DevFile, openHome } from './home.ts'
import { consoleLogger } from './log.ts'
import { developmentConnector, isSeeded, seed } from './seed.ts'
import { readSettings, type Settings } from './settings.ts'

/** The development server: runs until it is told to stop, and takes up again where it was. */
export async function dev(env: NodeJS.ProcessEnv): Promise<void> {
  const settings = readSettings(env)
  const server = createServer()
  // A request that is early waits for the engine instead of being lost.
  const { promise: listener, resolve: serve } = Promise.withResolvers<NodeListener>()
  server.on('request', async (req, res) => (await listener)(req, res))
  const origin = await listen(server, settings.port)
  try {
    await run({ server, settings, origin, serve })
  } catch (fault) {
    server.close()
    server.closeAllConnections()
    throw fault
  }
}

interface Start {
  server: Server
  settings: Settings
  origin: string
  serve: (listener: NodeListener) => void
}

async function run({ server, settings, origin, serve }: Start): Promise<void> {
  const home = openHome(settings.home)
  const engine = createEngine({
    store: sqliteStore({ filename: settings.database }),
    secret: home.secret(),
    processors: {
      sandbox: simulatedProcessor({ ledger: fileLedger(home.path('processor-sandbox.jsonl')) }),
      live: simulatedProcessor({ ledger: fileLedger(home.path('processor-live.jsonl')) }),
    },
    connectors: {
      ledger: ledgerConnector(),
      file: fileConnector({ directory: home.path('ledgers') }),
      development: developmentConnector,
    },
    publicUrl: origin,
    logger: consoleLogger,
    testHelpers: !settings.strict,
    allowInsecureDestinations: !settings.strict,
  })
  await engine.migrate()
  const known = home.readDevFile()
  const seeded = known && (await isSeeded(engine, known)) ? known : await seed(engine)
  const file: DevFile = { ...seeded, base_url: `${origin}/v1`, back_office_url: origin }
  serve(toNodeListener(everything(engine, file)))
  const dispatcher = startDispatcher(engine)
  const reconciler = startReconciler(engine)
  home.writeDevFile(file)
  console.log(greeting(file, settings, home.path('dev.json')))

  await stopSignal()
  await closeServer(server)
  await dispatcher.stop()
  await reconciler.stop()
  await engine.close()
}

/** The back office beside the API, each at its paths. */
function everything(engine: Engine, { back_office_token }: DevFile): HttpHandler {
  const api = createHandler(engine, { basePath: '/v1', pages: hostedPages(engine) })
  const digest = (token: string) => createHash('sha256').update(token).digest()
  const back_office = createBackOffice(engine, {
    authorize: (token) => timingSafeEqual(digest(token), digest(back_office_token)),
  })
  const of_back_office = /^\/(back-office|service|health)(?=[/?]|$)/
  return (request) => (of_back_office.test(request.target) ? back_office : api).http(request)
}

/** On the loopback only: this server's keys are in a file. */
function listen(server: Server, port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () =>
      resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    )
  })
}

function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    process.once('SIGTERM', () => resolve())
    process.once('SIGINT', () => resolve())
  })
}

/** Lets requests under way finish; connections that are merely kept open are closed at once. */
async function closeServer(server: Server): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve))
  server.closeIdleConnections()
  const patience = setTimeout(() => server.closeAllConnections(), 5_000)
  await closed
  clearTimeout(patience)
}

function greeting(file: DevFile, settings: Settings, dev_file: string): string {
  const insecure =
    '  http and private webhook destinations are accepted, and the test helpers are open (QUITTANCE_STRICT=1: not)'
  return `
Quittance is listening.

  API           ${file.base_url}
  sandbox keys  ${file.sandbox.secret_key}
                ${file.sandbox.publishable_key}
  live keys     ${file.live.secret_key}
                ${file.live.publishable_key}
  back office   ${file.back_office_token}
  all of it     ${dev_file}
${settings.strict ? '' : `\n${insecure}\n`}
  curl ${file.base_url}/account -H 'Authorization: Bearer ${file.sandbox.secret_key}'
`
}
