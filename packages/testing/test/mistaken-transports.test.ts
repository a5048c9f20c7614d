import type { Engine } from '@quittance/core'
import { createHandler } from '@quittance/transport-http'
import { it } from 'vitest'
import { serve } from '../../transport-http/test/node-transport-server.ts'
import { describeTransport } from '../src/describe-transport.ts'
import { listenerOf, type Mistake, mistakes } from './mistaken-transports.ts'
import { expectHeld, expectSeen, sentenceOf } from './sentences.ts'

it.each(mistakes)('the contract suite sees a transport that %s', async (_, breaks, mistake, hangs) => {
  await expectSeen(sentenceOf(mounted(mistake), breaks), hangs)
  await expectHeld(sentenceOf(mounted({ handler: (handle) => handle }), breaks))
})

function mounted(mistake: Mistake): () => void {
  const mount = (engine: Engine) => serve(listenerOf(mistake, createHandler(engine).http), '/v1')
  return () => describeTransport('mistaken', mount)
}
