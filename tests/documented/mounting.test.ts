import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { blocksOf, inFolder } from './page.ts'

const receiver =
  blocksOf('docs/mounting.md').find(({ text }) => text.startsWith("app.post('/webhooks'"))?.text ?? ''

const requests = `
const server = app.listen(0)
await new Promise((listening) => server.once('listening', listening))
const ask = async (body, type, signed = body) => {
  const t = Math.floor(Date.now() / 1000)
  const headers = { 'content-type': type, 'service-signature': signatureHeader(secret, t, signed) }
  const { port } = server.address()
  console.log((await fetch(\`http://127.0.0.1:\${port}/webhooks\`, { method: 'POST', headers, body })).status)
}
await ask('{ "id": "evt" }', 'application/json')
await ask('{ "id": "forged" }', 'application/json', '{ "id": "evt" }')
await ask('{ "id": "evt" }', 'text/plain')
await ask('', 'application/json')
process.exit()
`

it.each(['express', 'express-4'])(
  'the receiver of webhooks in %s takes what is signed and refuses the rest',
  async (name) => {
    const said = await inFolder((folder, run) => {
      const program = `import express from '${name}'
      import { signatureHeader, verifyWebhook } from '@quittance/webhooks'
      const secret = 'whsec_of_this_test'
      const app = express()
      ${receiver}${requests}`
      writeFileSync(join(folder, 'receiver.mjs'), program)
      return run(process.execPath, '--conditions=@quittance/source', 'receiver.mjs')
    })
    expect(said).toBe('200\n400\n400\n400\n')
  },
)
