import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { Redis } from 'ioredis'
import { freePort } from '../../tests/free-port.ts'
import { withFolder } from './scratch.ts'

/** Runs against a Redis of its own that syncs its log at every write, or with null if there is no `redis-server`. */
export async function withRedis<Value>(run: (url: string | null) => Promise<Value>): Promise<Value> {
  if (spawnSync('redis-server', ['--version']).error !== undefined) return run(null)
  return withFolder(async (folder) => {
    const port = String(await freePort())
    const durable = ['--appendonly', 'yes', '--appendfsync', 'always', '--save', '']
    const args = ['--port', port, '--bind', '127.0.0.1', '--dir', folder, ...durable]
    const server = spawn('redis-server', args, { stdio: 'ignore' })
    const redis = new Redis(Number(port), { retryStrategy: () => 20, maxRetriesPerRequest: null })
    redis.on('error', () => {})
    await redis.ping()
    redis.disconnect()
    try {
      return await run(`redis://127.0.0.1:${port}`)
    } finally {
      const ended = once(server, 'exit')
      server.kill('SIGTERM')
      await ended
    }
  })
}
