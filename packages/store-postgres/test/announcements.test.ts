import { fork } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { fileURLToPath } from 'node:url'
import { createEngine, type Engine, type Store } from '@quittance/core'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { seed } from '../../testing/src/store/opened.ts'
import { sampleRow } from '../../testing/src/store/sample-row.ts'
import { webReceiver } from '../../webhooks/test/web-receiver.ts'
import { Listener } from '../src/announcements/listener.ts'
import { postgresStore } from '../src/postgres-store.ts'
import { cuttingProxy } from './cutting-proxy.ts'
import { testDatabase } from './database.ts'

const database = testDatabase()
let schema: string
let store: Store

beforeEach(async () => {
  schema = database().schema()
  store = open()
  await store.migrate()
})

afterEach(async () => {
  await store.close()
  await database().drop(schema)
})

describe('a dispatcher in another process', () => {
  it('is woken by the commit of a delivery, though its next look is an hour away', async () => {
    const receiver = await webReceiver()
    const resend = await filing(receiver.url)
    await dispatchingProcess()
    for (let sent = 1; sent <= 3; sent += 1) {
      await resend()
      await expect.poll(() => receiver.received.length).toBe(sent)
    }
  })

  it('is woken by what was filed while its connection was lost, and by what comes after', async () => {
    const receiver = await webReceiver()
    const resend = await filing(receiver.url)
    await dispatchingProcess()
    for (let sent = 1; sent <= 3; sent += 1) {
      expect(await endListeners()).toBe(1)
      await resend()
      await expect.poll(() => receiver.received.length).toBe(sent)
      await expect.poll(listeners).toBe(1)
    }
  })
})

describe('a store that listens', () => {
  /** Through a proxy, and woken once: it listens. */
  const listeningFar = async () => {
    const proxy = await cuttingProxy(database().connectionString)
    const far = open({ connectionString: proxy.connectionString })
    let count = 0
    far.onDeliveriesElsewhere(() => {
      count += 1
    })
    const woken = () => count
    await expect.poll(woken).toBe(1)
    return { proxy, far, woken }
  }

  it('tries again until Postgres can be reached, and is woken then', async () => {
    const { proxy, far, woken } = await listeningFar()
    for (let cut = 2; cut <= 4; cut += 1) {
      proxy.cutNext('lose request')
      await endListeners()
      await expect.poll(woken).toBe(cut)
    }
    await far.close()
    await proxy.close()
  })

  // With the settings of the host's pool, which had no limit, it waited for as long as the server said nothing.
  it('tries again where the server takes the connection and then says nothing', async () => {
    let taken = 0
    const { hostname, port, username, password, pathname } = new URL(database().connectionString)
    const server = createServer((socket) => {
      socket.on('error', () => {})
      onTestFinished(() => void socket.destroy())
      taken += 1
      if (taken === 1) return
      const upstream = connect(Number(port), hostname)
      socket.on('close', () => upstream.destroy())
      upstream.on('error', () => {}).pipe(socket)
      socket.pipe(upstream)
    })
    onTestFinished(async () => void server.close())
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const way = { host: '127.0.0.1', port: (server.address() as AddressInfo).port }
    let woken = 0
    const connection = () => new pg.Client({ ...way, user: username, password, database: pathname.slice(1) })
    const wake = () => {
      woken += 1
    }
    const listener = new Listener(
      { connection, concerns: () => true, wake },
      { connecting_ms: 200, heartbeat_ms: 30_000, answer_ms: 30_000 },
    )
    onTestFinished(() => listener.close())
    await expect.poll(() => woken).toBe(1)
    // One that was made stays, for longer than it may take to be made.
    const tried = taken
    await database().pool.query('SELECT pg_sleep(1)')
    expect(taken).toBe(tried)
  })

  // Behind a proxy that keeps connections to the former primary, it listened there for ever.
  it('leaves a server that only reads, as after a failover, for one that writes', async () => {
    let opened = 0
    const connection = () => {
      opened += 1
      const options = opened === 1 ? '-c default_transaction_read_only=on' : ''
      return new pg.Client({ connectionString: database().connectionString, options })
    }
    let woken = 0
    const wake = () => {
      woken += 1
    }
    const limits = { connecting_ms: 10_000, heartbeat_ms: 20, answer_ms: 30_000 }
    const listener = new Listener({ connection, concerns: () => true, wake }, limits)
    onTestFinished(() => listener.close())
    await expect.poll(() => woken).toBe(2)
    store.announceDeliveries()
    await expect.poll(() => woken).toBe(3)
    expect(opened).toBe(2)
    await expect.poll(listeners).toBe(1)
  })

  it('tries again where its line is silently cut off', async () => {
    const proxy = await cuttingProxy(database().connectionString)
    const connection = () => new pg.Client({ connectionString: proxy.connectionString })
    let woken = 0
    const wake = () => {
      woken += 1
    }
    const limits = { connecting_ms: 10_000, heartbeat_ms: 20, answer_ms: 500 }
    const listener = new Listener({ connection, concerns: () => true, wake }, limits)
    await expect.poll(() => woken).toBeGreaterThan(0)
    proxy.freeze()
    const before = woken
    await expect.poll(() => woken).toBeGreaterThan(before)
    await listener.close()
    await proxy.close()
  })

  it('hears all that another one announces before it is closed', async () => {
    let woken = 0
    store.onDeliveriesElsewhere(() => {
      woken += 1
    })
    await expect.poll(() => woken).toBe(1)
    const other = open()
    other.announceDeliveries()
    // While the first is on its way.
    other.announceDeliveries()
    await other.close()
    await expect.poll(() => woken).toBe(3)
  })

  it('wakes all of its own for what another one announces, and nobody for what it announces itself', async () => {
    let last = 'listening'
    const woken: string[] = []
    for (const name of ['first', 'second'])
      store.onDeliveriesElsewhere(() => void woken.push(`${name} ${last}`))
    await expect.poll(() => woken).toHaveLength(2)
    const ear = await database().pool.connect()
    await ear.query('LISTEN quittance_deliveries')
    last = 'itself'
    store.announceDeliveries()
    await once(ear, 'notification')
    await ear.query('UNLISTEN *')
    ear.release()
    const other = open()
    last = 'another'
    other.announceDeliveries()
    await expect.poll(() => woken).toContain('first another')
    expect(woken).toEqual(['first listening', 'second listening', 'first another', 'second another'])
    await other.close()
  })

  it('listens no more when nobody waits, and when it is closed', async () => {
    const far = open()
    const leave = [far.onDeliveriesElsewhere(() => {}), far.onDeliveriesElsewhere(() => {})]
    await expect.poll(listeners).toBe(1)
    leave[0]?.()
    await new Promise((resolve) => setImmediate(resolve))
    expect(await listeners()).toBe(1)
    leave[1]?.()
    await expect.poll(listeners).toBe(0)
    far.onDeliveriesElsewhere(() => {})
    await expect.poll(listeners).toBe(1)
    await far.close()
    await expect.poll(listeners).toBe(0)
  })

  it('is closed within a moment also where its line is dead', async () => {
    const { proxy, far } = await listeningFar()
    proxy.freeze()
    await far.close()
    await proxy.close()
  }, 30_000)

  it('leaves no connection behind that is still being made when nobody waits any more', async () => {
    const sockets = new Set<Socket>()
    const silent = createServer((socket) => {
      sockets.add(socket.resume().on('error', () => {}))
      socket.on('close', () => sockets.delete(socket))
    })
    await once(silent.listen(0, '127.0.0.1'), 'listening')
    const { port } = silent.address() as AddressInfo
    // Of the host, and so without a limit to the time that connecting takes.
    const pool = new pg.Pool({ host: '127.0.0.1', port })
    const far = postgresStore({ pool, schema })
    const leave = far.onDeliveriesElsewhere(() => {})
    await expect.poll(() => sockets.size).toBe(1)
    leave()
    await expect.poll(() => sockets.size).toBe(0)
    await far.close()
    await pool.end()
    silent.close()
  })

  it('does not keep its process alive', async () => {
    const script = fileURLToPath(new URL('listening-process.ts', import.meta.url))
    const child = fork(script, [database().connectionString, schema], {
      execArgv: ['--conditions=@quittance/source'],
    })
    onTestFinished(() => void child.kill())
    expect(await once(child, 'exit')).toEqual([0, null])
  })

  it('takes no connection away from a pool of the host, be it of one', async () => {
    const pool = new pg.Pool({ connectionString: database().connectionString, max: 1 })
    const far = postgresStore({ pool, schema })
    let woken = 0
    far.onDeliveriesElsewhere(() => {
      woken += 1
    })
    await expect.poll(() => woken).toBe(1)
    store.announceDeliveries()
    await expect.poll(() => woken).toBe(2)
    expect(await far.nextDue(null)).toEqual({ row: null, delivery: null })
    await far.close()
    await pool.end()
  })

  it('does not hear of another schema, and neither says nor hears anything without `notify`', async () => {
    const far = open()
    const elsewhere = postgresStore({
      connectionString: database().connectionString,
      schema: `${schema}_other`,
    })
    const deaf = open({ notify: false })
    let woken = 0
    deaf.onDeliveriesElsewhere(() => {
      woken += 100
    })
    far.onDeliveriesElsewhere(() => {
      woken += 1
    })
    await expect.poll(() => woken).toBe(1)
    elsewhere.announceDeliveries()
    deaf.announceDeliveries()
    for (const closing of [elsewhere, deaf]) await closing.close()
    store.announceDeliveries()
    await expect.poll(() => woken).toBe(2)
    expect(await listeners()).toBe(1)
    await far.close()
  })
})

function open(options: Partial<{ connectionString: string; notify: boolean }> = {}): Store {
  return postgresStore({ connectionString: database().connectionString, ...options, schema })
}

/** Sessions whose last word was LISTEN, or a look whether the server still writes. */
const listening = `datname = current_database()
AND query IN ('LISTEN quittance_deliveries', 'SHOW transaction_read_only')`

async function listeners(): Promise<number> {
  const { rowCount } = await database().pool.query(`SELECT 1 FROM pg_stat_activity WHERE ${listening}`)
  return rowCount ?? 0
}

async function endListeners(): Promise<number> {
  const { rowCount } = await database().pool.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${listening}`,
  )
  return rowCount ?? 0
}

async function dispatchingProcess(): Promise<void> {
  const script = fileURLToPath(new URL('dispatching-process.ts', import.meta.url))
  const child = fork(script, [database().connectionString, schema], {
    execArgv: ['--conditions=@quittance/source'],
  })
  onTestFinished(async () => {
    const ended = once(child, 'exit')
    child.send('stop')
    await ended
  })
  await once(child, 'message')
}

/** An engine that files and dispatches nothing; answers how to file one more delivery. */
async function filing(url: string): Promise<() => Promise<void>> {
  const engine: Engine = createEngine({
    store,
    secret: 'the secret of engines in two processes',
    processors: {},
    publicUrl: 'https://pay.example.com',
    allowInsecureDestinations: true,
  })
  const { id: workspace } = await engine.admin.workspaces.create({ name: 'Acme' })
  const scope = { workspace, livemode: false }
  const caller = await engine.caller(scope)
  const created = await engine.webhook_endpoints.create(caller, { url, enabled_events: ['*'] })
  const endpoint = created._unsafeUnwrap().id
  let events = 0
  return async () => {
    events += 1
    const id = `evt_test_${events}`
    await seed(store, scope, [['events', sampleRow('events', scope, id, { body: '{}' })]])
    ;(await engine.events.resend(caller, { id, endpoint }))._unsafeUnwrap()
  }
}
