import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, it } from 'vitest'

const server_url = new URL('./postgres-server.ts', import.meta.url).href

it('a process that had a server of its own ends with the code of what came of it', {
  timeout: 60_000,
}, async () => {
  const script = `
    const { postgresServer } = await import('${server_url}')
    const server = await postgresServer()
    await server.stop()
    process.exitCode = 3`
  const env = { ...process.env, TEST_POSTGRES_URL: '' }
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], { env, stdio: 'ignore' })
  expect(await once(child, 'exit')).toEqual([3, null])
})
