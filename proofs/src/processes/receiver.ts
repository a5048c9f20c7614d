import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Clock } from '@quittance/core'
import { verifyWebhook } from '@quittance/webhooks'

/** The merchants' HTTP server: one address per workspace. */
export interface Receiver {
  /** The URL of this workspace's endpoint. */
  url(workspace: string): string
  /** Sets the secret with which to verify, once there is one. */
  expectSignedWith(workspace: string, secret: string): void
  /** The bodies received of each event, by its id. Only those with a valid signature. */
  readonly received: Map<string, string[]>
  /** Posts whose signature was refused. */
  readonly refused: string[]
  /** The most posts that were in flight at a time, by workspace. */
  readonly most: Map<string, number>
  close(): Promise<void>
}

interface Settings {
  /** The clock by which signatures are judged. */
  clock: Pick<Clock, 'real'>
  /** The status for the n-th of all posts. */
  answer(n: number, workspace: string): number | Promise<number>
}

export async function openReceiver({ clock, answer }: Settings): Promise<Receiver> {
  const secrets = new Map<string, string>()
  const open = new Map<string, number>()
  const most = new Map<string, number>()
  const received = new Map<string, string[]>()
  const refused: string[] = []
  let posts = 0

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const workspace = (request.url ?? '').slice(1)
    const under_way = (open.get(workspace) ?? 0) + 1
    open.set(workspace, under_way)
    most.set(workspace, Math.max(most.get(workspace) ?? 0, under_way))
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    keep(workspace, request, Buffer.concat(chunks).toString())
    posts += 1
    const status = await answer(posts, workspace)
    // Before the response: once the sender has that, another post may begin.
    open.set(workspace, (open.get(workspace) ?? 0) - 1)
    response.writeHead(status).end()
  }

  function keep(workspace: string, { headers }: IncomingMessage, body: string): void {
    const event = String(headers['service-event-id'])
    const verified = verifyWebhook(body, String(headers['service-signature']), secrets.get(workspace) ?? '', {
      now: new Date(clock.real()),
    })
    if (verified.isErr() || verified.value.id !== event) refused.push(event)
    else received.set(event, [...(received.get(event) ?? []), body])
  }

  // A sender that was killed takes its connection with it.
  const server = createServer((request, response) => void serve(request, response).catch(() => {}))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: (workspace) => `http://127.0.0.1:${port}/${workspace}`,
    expectSignedWith: (workspace, secret) => void secrets.set(workspace, secret),
    received,
    refused,
    most,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
