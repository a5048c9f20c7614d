import { createServer, type Server } from 'node:http'
import { fileConnector, ledgerConnector } from '@quittance/connectors'
import { createEngine, type Engine, startReconciler } from '@quittance/core'
import { fileLedger, simulatedProcessor } from '@quittance/processor-simulator'
import { answerUnreadableRequests, type NodeListener, toNodeListener } from '@quittance/transport-http'
import { startDispatcher } from '@quittance/webhooks'
import { redisQueue } from '@quittance/webhooks/redis'
import { demoAddresses, seedDemoShop } from './demo/demo-shop.ts'
import { developmentHandler } from './development-handler.ts'
import { developmentConnector } from './development-ledger.ts'
import { type Frames, openFrames } from './frames.ts'
import { type DevFile, type Home, openHome } from './home.ts'
import { addressOf, assertFree, closeServer, listen } from './listen.ts'
import { consoleLogger } from './log.ts'
import { openStore } from './open-store.ts'
import { openRedis, type RedisClient } from './redis.ts'
import { isSeeded, seed } from './seed.ts'
import { readSettings, type Settings } from './settings.ts'

/** The development server: runs until it is told to stop, and continues at the next start where it was. */
export async function dev(env: NodeJS.ProcessEnv): Promise<void> {
  const settings = readSettings(env)
  // First, because a server that already has the port may be using all that is opened below.
  if (settings.port !== 0) await assertFree(settings.port)
  const server = createServer({ requireHostHeader: false })
  answerUnreadableRequests(server)
  // An early request waits for the engine instead of being lost.
  const { promise: listener, resolve: serve } = Promise.withResolvers<NodeListener>()
  server.on('request', async (req, res) => (await listener)(req, res))
  // A configured port is taken only once `dev.json` is written; a random one, which nobody knows yet, may be taken earlier.
  const origin = settings.port === 0 ? await listen(server, 0) : addressOf(settings.port)
  let redis: RedisClient | null = null
  let frames: Frames | null = null
  try {
    redis = await openRedis(settings)
    frames = await openFrames(settings, origin)
    await run({ server, settings, origin, serve, redis, frames })
  } catch (fault) {
    server.close()
    server.closeAllConnections()
    throw fault
  } finally {
    redis?.disconnect()
    if (frames) await closeServer(frames.server)
  }
}

interface Start {
  server: Server
  settings: Settings
  origin: string
  serve: (listener: NodeListener) => void
  redis: RedisClient | null
  frames: Frames
}

async function run(start: Start): Promise<void> {
  const { settings, origin } = start
  const home = openHome(settings.home)
  const engine = createEngine({
    store: openStore(settings),
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
  // Otherwise the engine's connections would keep a failed process alive.
  try {
    await work(engine, { ...start, home })
  } finally {
    await engine.close()
  }
}

async function work(engine: Engine, start: Start & { home: Home }): Promise<void> {
  const { home, server, settings, serve, redis } = start
  await engine.migrate()
  const file = await devFile(engine, start)
  // Before anybody can know that the server is there, and tell it to stop.
  const stopped = stopSignal()
  serve(toNodeListener(developmentHandler(engine, file, redis)))
  const dispatcher = startDispatcher(engine, redis ? { queue: redisQueue(redis) } : {})
  const reconciler = startReconciler(engine)
  try {
    home.writeDevFile(file)
    if (settings.port !== 0) await listen(server, settings.port)
    console.log(greeting(file, settings, home.path('dev.json')))
    await stopped
    await closeServer(server)
  } finally {
    await dispatcher.stop()
    await reconciler.stop()
  }
}

/** Has the keys of an earlier start while they open the database, else new ones. */
async function devFile(
  engine: Engine,
  { home, origin, frames }: Pick<Start, 'origin' | 'frames'> & { home: Home },
): Promise<DevFile> {
  const known = home.readDevFile()
  const seeded = known && (await isSeeded(engine, known)) ? known : await seed(engine)
  const shop = (seeded === known && known.demo) || (await seedDemoShop(engine))
  return {
    ...seeded,
    base_url: `${origin}/v1`,
    back_office_url: origin,
    tokenizer_url: frames.origin,
    demo: { ...shop, ...(await demoAddresses(engine, shop)) },
  }
}

/** npm passes on what a terminal has sent to this process already: for this long, a second signal is the first one again. */
const same_signal_ms = 1_000

/** Resolves at SIGTERM or SIGINT. A second after that, another signal ends the process at once. */
async function stopSignal(): Promise<void> {
  const stopping = Promise.withResolvers<void>()
  const stop = () => stopping.resolve()
  process.on('SIGTERM', stop).on('SIGINT', stop)
  await stopping.promise
  setTimeout(() => process.off('SIGTERM', stop).off('SIGINT', stop), same_signal_ms).unref()
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
  tokenizer     ${file.tokenizer_url}

  to be paid    ${file.demo.checkout_url}
                ${file.demo.invoice_url}
                ${file.demo.shop_url}  (a shop's own page, with Elements)
${settings.redis ? `  Redis         ${withoutPassword(settings.redis)} (webhook wake-ups and rate limits)\n` : ''}${settings.strict ? '' : `\n${insecure}\n`}
  curl ${file.base_url}/account -H 'Authorization: Bearer ${file.sandbox.secret_key}'
`
}

function withoutPassword({ protocol, host, pathname }: URL): string {
  return `${protocol}//${host}${pathname}`
}
