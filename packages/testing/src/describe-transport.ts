import { describe, suite_timeout } from './suite.ts'
import { describeAnswers } from './transport/describe-answers.ts'
import { describeClients } from './transport/describe-clients.ts'
import { describeConnections } from './transport/describe-connections.ts'
import { describeStreams } from './transport/describe-streams.ts'
import type { HostAnswer } from './transport/requests.ts'
import type { MountTransport } from './transport/twins.ts'

export interface TransportOptions {
  /** What the host answers itself: before the API sees it, or because no `Request` can represent it. Default: nothing. */
  host_answers?: readonly HostAnswer[]
  /**
   * Whether the transport speaks only HTTP/2, without TLS or an upgrade (default false: HTTP/1.1). Needs Node 24.15 or 25.7:
   * in older versions a client cannot send a header twice.
   */
  http2?: boolean
}

/**
 * The contract of a transport, over real sockets: it answers every request with the status, headers and bytes of the
 * plain handler. `mount` is called once for every test, with the engine to mount.
 */
export function describeTransport(
  name: string,
  mount: MountTransport,
  { host_answers = [], http2 = false }: TransportOptions = {},
): void {
  if (http2 && !sendsHeadersTwice(process.versions.node))
    throw new Error(`\`http2\` needs Node 24.15 or 25.7, and this is ${process.versions.node}.`)
  describe(`${name} keeps the contract of a transport`, suite_timeout, () => {
    const tried = { mount, host_answers, http2 }
    describeAnswers(tried)
    describeClients(tried)
    if (http2) describeStreams(tried)
    else describeConnections(tried)
  })
}

/** Whether an HTTP/2 client in this version of Node can send a header twice. */
export function sendsHeadersTwice(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major > 25 || (major === 25 && minor >= 7) || (major === 24 && minor >= 15)
}
