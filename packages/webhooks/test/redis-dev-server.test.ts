import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { freePort } from '../../../tests/free-port.ts'
import { redisClient } from './redis-processes.ts'
import { describeOnRedis, has_redis_server, redisServer } from './redis-server.ts'
import { gate, webReceiver } from './web-receiver.ts'

describeOnRedis('the development server with QUITTANCE_REDIS', has_redis_server, () => {
  it('counts its limits there and announces what it cannot send at once, and says so without the password', async () => {
    const redis = await redisServer()
    onTestFinished(() => redis.close())
    const dev = await startDev(redis.url.replace('//', '//default:a-password@'))
    expect(dev.said()).toContain(`Redis         ${redis.url}`)
    expect(dev.said()).not.toContain('a-password')
    const subscriber = redisClient(redis.url)
    const announced = Promise.withResolvers<void>()
    subscriber.on('message', () => announced.resolve())
    await subscriber.subscribe('quittance:deliveries')
    const held = gate()
    const receiver = await webReceiver(held.answer)
    await dev.post('/webhook-endpoints', { url: receiver.url, enabled_events: ['*'] })
    const page = {
      amount: 100,
      currency: 'usd',
      success_url: 'https://a.example',
      cancel_url: 'https://a.example',
    }
    // The second finds the dispatcher busy with the first.
    for (let payments = 0; payments < 2; payments += 1) {
      const { id } = await dev.post('/checkout-sessions', page)
      await dev.post(`/test-helpers/checkout-sessions/${id}/pay`, { token: 'tok_test_visa' })
    }
    await announced.promise
    held.open()
    // The script that counts.
    expect(await redisClient(redis.url).info('commandstats')).toMatch(/cmdstat_eval/)
    expect(await dev.stop()).toBe(0)
  })
})

describe('the development server', () => {
  it('works as without Redis where there is none at QUITTANCE_REDIS', async () => {
    const dev = await startDev(`redis://127.0.0.1:${await freePort()}`)
    expect(await dev.post('/payment-method-sessions', {})).toMatchObject({ object: 'payment_method_session' })
    expect(dev.said()).toContain('listening for deliveries through Redis fails')
    expect(await dev.stop()).toBe(0)
  })

  it.each(['localhost:6379', 'http://127.0.0.1', 'redis://', 'redis://:a-password@127.0.0.1/one'])(
    'refuses the QUITTANCE_REDIS %s, and does not repeat it',
    async (given) => {
      const dev = runDev(given)
      await once(dev.child, 'exit')
      expect(dev.child.exitCode).toBe(1)
      expect(dev.said().trim()).toMatch(/^QUITTANCE_REDIS is redis:\/\/<host>.*$/)
    },
  )
})

/** Runs it on a free port in a folder of its own; ended with the test. */
function runDev(redis: string) {
  const home = mkdtempSync(join(tmpdir(), 'quittance-home-'))
  const main = new URL('../../cli/src/main.ts', import.meta.url).pathname
  const env = { PORT: '0', QUITTANCE_HOME: home, QUITTANCE_REDIS: redis, QUITTANCE_STORE: '', NO_COLOR: '1' }
  const child = spawn(process.execPath, ['--conditions=@quittance/source', main, 'dev'], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(async () => {
    if (isRunning(child)) {
      child.kill('SIGKILL')
      await once(child, 'exit')
    }
    rmSync(home, { recursive: true, force: true })
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      said += chunk
    })
  return { child, home, said: () => said }
}

async function startDev(redis: string) {
  const { child, home, said } = runDev(redis)
  await expect.poll(() => !isRunning(child) || said().includes('curl http'), { timeout: 120_000 }).toBe(true)
  expect(said()).toContain('curl http')
  const file = JSON.parse(readFileSync(join(home, 'dev.json'), 'utf8')) as DevFile
  return {
    said,
    async post(path: string, body: object): Promise<{ id: string }> {
      const headers = {
        authorization: `Bearer ${file.sandbox.secret_key}`,
        'content-type': 'application/json',
      }
      const request = { method: 'POST', headers, body: JSON.stringify(body) }
      const response = await fetch(file.base_url + path, request)
      const answer = (await response.json()) as { id: string }
      expect([response.status, answer]).toEqual([200, answer])
      return answer
    },
    async stop(): Promise<number | null> {
      child.kill('SIGTERM')
      await once(child, 'exit')
      return child.exitCode
    },
  }
}

interface DevFile {
  base_url: string
  sandbox: { secret_key: string }
}

const isRunning = ({ exitCode, signalCode }: ChildProcess) => exitCode === null && signalCode === null
