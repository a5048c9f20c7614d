import { createServer, type Server } from 'node:http'
import { createTokenizer } from '@quittance/pages'
import { simulatedTokenizer } from '@quittance/processor-simulator'
import { toNodeListener } from '@quittance/transport-http'
import { listen } from './listen.ts'
import { consoleLogger } from './log.ts'
import type { Settings } from './settings.ts'

export interface Frames {
  server: Server
  /** The origin of the frames: another than the API's, as it is in production. */
  origin: string
}

/** The frames of Elements with the sandbox's tokenizer, at the next port, or at any if that is taken. */
export async function openFrames(
  { port, page_origins }: Pick<Settings, 'port' | 'page_origins'>,
  api_origin: string,
): Promise<Frames> {
  const own = [api_origin, api_origin.replace('127.0.0.1', 'localhost')]
  const handler = createTokenizer({
    tokenizer: simulatedTokenizer(),
    parentOrigins: [...own, ...page_origins],
    logger: consoleLogger,
  })
  const server = createServer(toNodeListener(handler))
  const wanted = port === 0 || port === 65_535 ? 0 : port + 1
  const origin = await listen(server, wanted).catch((fault: NodeJS.ErrnoException) => {
    if (fault.code !== 'EADDRINUSE') throw fault
    return listen(server, 0)
  })
  return { server, origin }
}
