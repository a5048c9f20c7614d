import { describe } from 'vitest'
import { suite_timeout } from './suite-timeout.ts'
import { describeAnswers } from './transport/describe-answers.ts'
import { describeConnections } from './transport/describe-connections.ts'
import type { HostAnswer } from './transport/requests.ts'
import type { MountTransport } from './transport/twins.ts'

export interface TransportOptions {
  /** What the host answers itself: before the API sees it, or because no `Request` can hold it. Default: nothing. */
  host_answers?: readonly HostAnswer[]
}

/**
 * The contract of a transport, over real sockets: it answers every request with the status, headers and bytes of the
 * plain handler. `mount` is called once for every test, with the engine to mount.
 */
export function describeTransport(
  name: string,
  mount: MountTransport,
  { host_answers = [] }: TransportOptions = {},
): void {
  describe(`${name} keeps the contract of a transport`, suite_timeout, () => {
    describeAnswers(mount, host_answers)
    describeConnections(mount, host_answers)
  })
}
