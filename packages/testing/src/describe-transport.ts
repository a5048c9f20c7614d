import { describe } from 'vitest'
import { describeAnswers } from './transport/describe-answers.ts'
import { describeConnections } from './transport/describe-connections.ts'
import type { HostAnswer } from './transport/requests.ts'
import type { MountTransport } from './transport/twins.ts'

export interface TransportOptions {
  /** What the host answers itself, because it lies before the API or no request can hold it: by default nothing. */
  host_answers?: readonly HostAnswer[]
}

/**
 * The contract of a transport, over real sockets: whatever it is asked, it answers with the status, the headers and
 * the bytes of the plain handler. `mount` is called once for every test, with an engine to put behind the transport.
 */
export function describeTransport(
  name: string,
  mount: MountTransport,
  { host_answers = [] }: TransportOptions = {},
): void {
  describe(`${name} keeps the contract of a transport`, () => {
    describeAnswers(mount, host_answers)
    describeConnections(mount, host_answers)
  })
}
