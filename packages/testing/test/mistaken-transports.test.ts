import { createHandler } from '@quittance/transport-http'
import { it } from 'vitest'
import { serve } from '../../transport-http/test/node-transport-server.ts'
import { describeTransport } from '../src/describe-transport.ts'
import { listenerOf, type Mistake, mistakes } from './mistaken-transports.ts'
import { expectHeld, expectSeen, sentencesOf } from './sentences.ts'

it.each(mistakes)('the contract suite sees a transport that %s', async (_, breaks, mistake, hangs) => {
  await expectSeen(sentenceOf(mistake, breaks), hangs)
  await expectHeld(sentenceOf({ handler: (handle) => handle }, breaks))
})

/** The first sentence that begins like this, of such a transport. */
function sentenceOf(mistake: Mistake, breaks: string) {
  const mount = (engine: Parameters<typeof createHandler>[0]) =>
    serve(listenerOf(mistake, createHandler(engine).http), '/v1')
  const sentences = sentencesOf(() => describeTransport('mistaken', mount))
  const [sentence] = [...sentences].filter(([name]) => name.startsWith(breaks))
  if (!sentence) throw new Error(`The suite has no sentence that begins: ${breaks}`)
  return sentence[1]
}
