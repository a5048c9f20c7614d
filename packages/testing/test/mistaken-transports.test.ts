import { createHandler } from '@quittance/transport-http'
import { expect, it } from 'vitest'
import { serve } from '../../transport-http/test/node-transport-server.ts'
import { describeTransport } from '../src/describe-transport.ts'
import { listenerOf, type Mistake, mistakes } from './mistaken-transports.ts'
import { sentencesOf } from './sentences.ts'

it.each(mistakes)('the contract suite sees a transport that %s', async (_, breaks, mistake) => {
  expect(await faultOf(mistake, breaks)).toEqual(expect.any(String))
})

it('the contract suite finds nothing wrong with the same transport without a mistake', async () => {
  for (const breaks of new Set(mistakes.map((one) => one[1])))
    expect(await faultOf({ handler: (handle) => handle }, breaks), breaks).toBe(null)
})

/** What the sentence that begins like this says of such a transport. */
async function faultOf(mistake: Mistake, breaks: string): Promise<string | null> {
  const mount = (engine: Parameters<typeof createHandler>[0]) =>
    serve(listenerOf(mistake, createHandler(engine).http), '/v1')
  const sentences = sentencesOf(() => describeTransport('mistaken', mount))
  const [sentence] = [...sentences].filter(([name]) => name.startsWith(breaks))
  if (!sentence) throw new Error(`The suite has no sentence that begins: ${breaks}`)
  return sentence[1]()
}
