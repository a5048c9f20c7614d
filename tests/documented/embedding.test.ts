import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { blocksOf, inFolder } from './page.ts'

/** The parts of the block on mounting the back office, by the framework that begins each. */
const [, express = '', fastify = ''] =
  blocksOf('docs/back-office.md')
    .map(({ text }) => text.split(/^\/\/ (?:Express|Fastify).*$/m))
    .find((parts) => parts.length === 3) ?? []

const engine = `
import { mkdirSync, writeFileSync } from 'node:fs'
import { fileConnector } from '@quittance/connectors'
import { createEngine, memoryStore } from '@quittance/core'
import { createBackOffice, toNodeListener } from '@quittance/transport-http'
const engine = createEngine({
  store: memoryStore(),
  secret: 'a secret of these tests, 32 bytes or more',
  processors: {},
  publicUrl: 'https://pay.example.com',
  connectors: { file: fileConnector({ directory: 'sites' }) },
})
const authorize = (token) => token === 'secret'
mkdirSync('sites/main', { recursive: true })
writeFileSync('sites/main/customers.json', '[]')
const { id: workspace } = await engine.admin.workspaces.create({ name: 'Shop' })
const file = { kind: 'file', base_url: '', site_id: 'main', token: '' }
const connectionId = await engine.backOffice.connect({ workspace, livemode: false }, file)
`

const requests = `
const { port } = server.address()
const ask = async (path, init) => console.log((await fetch(\`http://127.0.0.1:\${port}\${path}\`, init)).status)
const headers = { authorization: 'Bearer secret', 'content-type': 'application/json' }
const body = JSON.stringify({ connectionId, jobType: 'sync_customer' })
await ask('/bo/health')
await ask('/bo/back-office/sync/historical', { method: 'POST', headers, body })
await ask('/bo/nothing')
await ask('/own', { method: 'POST', headers, body })
process.exit()
`

it.each([
  [
    'Express',
    `import express from 'express'
    const app = express()
    ${express}
    app.use(express.json()).post('/own', (request, response) => response.json(request.body))
    const server = app.listen(0)
    await new Promise((listening) => server.once('listening', listening))`,
  ],
  [
    'Fastify',
    `import fastify from 'fastify'
    const app = fastify()
    ${fastify}
    app.post('/own', async ({ body }) => body)
    await app.listen({ port: 0 })
    const { server } = app`,
  ],
])('the back office answers below a path of %s as the page mounts it', async (_framework, mounted) => {
  const said = await runFile(`${engine}${mounted}${requests}`)
  expect(said).toBe('200\n200\n404\n200\n')
})

it('the README of the engine opens a checkout session', async () => {
  const program = blocksOf('packages/core/README.md').find(({ language }) => language === 'js')?.text ?? ''
  expect(await runFile(program)).toMatch(/^https:\/\/pay\.example\.com\/checkout\/\S+\n$/)
})

function runFile(text: string): Promise<string> {
  return inFolder((folder, run) => {
    writeFileSync(join(folder, 'program.mjs'), text)
    const secret = 'SHOP_SECRET=a secret of these tests, 32 bytes or more'
    return run('env', secret, process.execPath, '--conditions=@quittance/source', 'program.mjs')
  })
}
