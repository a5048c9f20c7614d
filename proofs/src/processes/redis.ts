import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { freePort } from './ports.ts'

/** A Redis of its own, without a file on disk; null where none is installed. */
export async function ownRedis(): Promise<{ url: string; stop(): Promise<void> } | null> {
  if (spawnSync('redis-server', ['--version']).error !== undefined) return null
  const port = await freePort()
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no']
  const server = spawn('redis-server', args, { stdio: 'ignore' })
  return {
    url: `redis://127.0.0.1:${port}`,
    async stop() {
      const ended = once(server, 'exit')
      server.kill()
      await ended
    },
  }
}
