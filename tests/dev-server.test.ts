import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, statSync } from 'node:fs'
import { createServer, type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, it } from 'vitest'
import { gate, webReceiver } from '../packages/webhooks/test/web-receiver.ts'
import { root } from '../tools/packages.ts'
import { ask, confirmedSession } from './server/client.ts'
import { bareStart, type DevServer, npmStart, startServer, temporaryHome } from './server/dev-server.ts'

interface Payment {
  id: string
  status: string
}

const cleanUps: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

function home(): string {
  const { home, remove } = temporaryHome()
  cleanUps.push(remove)
  return home
}

async function start(command: readonly string[], at: string): Promise<DevServer> {
  const server = await startServer(command, at)
  cleanUps.push(() => server.destroy())
  return server
}

describe('the development server', () => {
  it('starts with one command, and its keys open the API', async () => {
    const server = await start(bareStart(), home())
    const { status, body } = await ask<{ object: string; environment: string }>(server, '/account')
    expect(status).toBe(200)
    expect(body).toMatchObject({ object: 'account', environment: 'sandbox' })
  })

  it('answers a client that names the server in its request line, as to a proxy', async () => {
    const { base_url, sandbox } = await start(bareStart(), home())
    const { hostname, port } = new URL(base_url)
    const headers = { authorization: `Bearer ${sandbox.secret_key}` }
    const asking = request({ hostname, port, path: `${base_url}/account`, headers }).end()
    const [response] = (await once(asking, 'response')) as [IncomingMessage]
    response.resume()
    expect(response.statusCode).toBe(200)
  })

  it('keeps its keys from everybody else on the machine', async () => {
    const at = home()
    await start(bareStart(), at)
    for (const file of ['dev.json', 'secret']) expect(statSync(join(at, file)).mode & 0o077).toBe(0)
    expect(statSync(at).mode & 0o077).toBe(0)
  })

  it('has a token of the back office that nobody knows who cannot read its home', async () => {
    const { back_office_token: one } = await start(bareStart(), home())
    const { back_office_token: other } = await start(bareStart(), home())
    expect([one.length, other.length]).toEqual([43, 43])
    expect(one).not.toBe(other)
  })

  it.each([
    ['0', 200, 200],
    ['1', 400, 404],
  ])(
    'under QUITTANCE_STRICT=%s answers a local destination with %i, and a test helper with %i',
    async (strict, saved, helped) => {
      const server = await start(['env', `QUITTANCE_STRICT=${strict}`, ...bareStart()], home())
      const endpoint = { url: 'http://127.0.0.1:9/hook', enabled_events: ['*'] }
      expect((await ask(server, '/webhook-endpoints', { post: endpoint })).status).toBe(saved)
      expect((await ask(server, '/test-helpers/clock')).status).toBe(helped)
    },
  )

  it('started again on a port that is in use says so, and leaves the one that has it alone', async () => {
    const at = home()
    const { port } = new URL((await start(bareStart(), at)).base_url)
    const file = readFileSync(join(at, 'dev.json'), 'utf8')
    await expect(startServer(bareStart(), at, port)).rejects.toThrow(`port ${port} is in use`)
    expect(readFileSync(join(at, 'dev.json'), 'utf8')).toBe(file)
  })

  it.each(['SIGTERM', 'SIGINT'] as const)(
    'stops cleanly when npm start gets %s, and frees its port',
    async (signal) => {
      const server = await start(npmStart, home())
      expect((await ask(server, '/account')).status).toBe(200)
      expect(await server.stop(signal)).toBe(0)
      await expect(listenOn(Number(new URL(server.base_url).port))).resolves.toBeUndefined()
    },
  )

  // Ctrl+C in a terminal: npm passes it on to the server, which has it already, and the second ended it in the middle.
  it('stops cleanly when npm start repeats the signal that it has had', async () => {
    const server = await start(bareStart(), home())
    const { hostname, port } = new URL(server.base_url)
    // Keeps it from being over before the second comes.
    const idle = connect(Number(port), hostname).on('error', () => {})
    await once(idle, 'connect')
    const stopped = server.stop('SIGINT')
    await setTimeout(200)
    server.process.kill('SIGINT')
    expect(await stopped).toBe(0)
  })

  // It said that it was there before it listened to signals: every other one ended it in the middle.
  it('stops cleanly when it is told so as soon as it says that it is listening', async () => {
    const [program = '', ...args] = bareStart()
    const env = {
      ...process.env,
      PORT: '0',
      QUITTANCE_HOME: home(),
      QUITTANCE_STORE: '',
      QUITTANCE_REDIS: '',
    }
    for (let start = 0; start < 6; start += 1) {
      const child = spawn(program, args, {
        cwd: fileURLToPath(root),
        env,
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      cleanUps.push(() => child.kill('SIGKILL'))
      child.stdout.once('data', () => child.kill('SIGTERM'))
      expect(await once(child, 'exit')).toEqual([0, null])
    }
  })

  it('records what a receiver answers after it was told to stop', async () => {
    const at = home()
    const before = await start(bareStart(), at)
    const held = gate()
    const receiver = await webReceiver(held.answer)
    await ask(before, '/webhook-endpoints', { post: { url: receiver.url, enabled_events: ['*'] } })
    const charge = { amount: 4200, currency: 'usd', payment_method_session: await confirmedSession(before) }
    await ask(before, '/payments', { post: charge, idempotency_key: 'order-1001' })
    await expect.poll(() => receiver.running.length).toBe(1)
    const stopped = before.stop('SIGTERM')
    const reached = () => fetch(before.base_url).then(Boolean, () => false)
    await expect.poll(reached).toBe(false)
    held.open()
    expect(await stopped).toBe(0)

    const after = await start(bareStart(), at)
    const { body } = await ask<{ data: { id: string }[] }>(after, '/events')
    const event = await ask<{ deliveries: object[] }>(after, `/events/${body.data[0]?.id}`)
    expect(event.body.deliveries).toMatchObject([{ status: 'succeeded', attempt_count: 1 }])
    expect(receiver.received).toHaveLength(1)
  })

  it('loses nothing when it is killed: keys, payments, events and answers are still there', async () => {
    const at = home()
    const before = await start(bareStart(), at)
    const charge = { amount: 4200, currency: 'usd', payment_method_session: await confirmedSession(before) }
    const request = { post: charge, idempotency_key: 'order-1001' }
    const paid = await ask<Payment>(before, '/payments', request)
    expect(paid.body.status).toBe('succeeded')
    expect(await before.stop('SIGKILL')).toBe('SIGKILL')

    const after = await start(bareStart(), at)
    expect(after.sandbox).toEqual(before.sandbox)
    expect((await ask<Payment>(after, `/payments/${paid.body.id}`)).body).toEqual(paid.body)
    const events = await ask<{ data: { type: string }[] }>(after, '/events')
    expect(events.body.data.map(({ type }) => type)).toEqual(['payment.succeeded'])
    const again = await ask<Payment>(after, '/payments', request)
    expect(again).toEqual({ ...paid, replayed: true })
    expect((await ask<{ data: Payment[] }>(after, '/payments')).body.data).toHaveLength(1)
  })

  it('charges at most once when it is killed with payments on the way', async () => {
    const at = home()
    const before = await start(bareStart(), at)
    const charges: { post: object; idempotency_key: string }[] = []
    for (let number = 0; number < 8; number += 1) {
      const post = { amount: 4200, currency: 'usd', payment_method_session: await confirmedSession(before) }
      charges.push({ post, idempotency_key: `order-${number}` })
    }
    const answers = charges.map((charge) => ask<Payment>(before, '/payments', charge).catch(() => null))
    await Promise.any(answers)
    await before.stop('SIGKILL')
    const heard = (await Promise.all(answers)).flatMap((answer) =>
      answer?.status === 200 ? [answer.body.id] : [],
    )

    const after = await start(bareStart(), at)
    const listed = (await ask<{ data: Payment[] }>(after, '/payments?limit=100')).body.data.map(
      ({ id }) => id,
    )
    expect(listed).toEqual(expect.arrayContaining(heard))
    const ledger = readFileSync(join(at, 'processor-sandbox.jsonl'), 'utf8').trim().split('\n')
    const keys = ledger.map((line) => JSON.parse(line) as { entry: string; key: string })
    const charged = keys.filter(({ entry }) => entry === 'charge').map(({ key }) => key)
    expect(new Set(charged).size).toBe(charged.length)
    expect(charged.length).toBeGreaterThanOrEqual(heard.length)
  })
})

function listenOn(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () => server.close(() => resolve()))
  })
}
