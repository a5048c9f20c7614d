import { connect, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { isPublicAddress } from '@quittance/core'
import type { buildConnector } from 'undici'
import { tolerateContinue } from './interim-responses.ts'
import { AttemptFailure, connectFailure } from './last-error.ts'
import type { AddressResolver } from './resolver.ts'

/** Opens a TCP connection to one of `addresses`, all of which have been judged, and to nothing else. */
export type Dial = (target: { hostname: string; addresses: readonly string[]; port: number }) => Socket

export interface ConnectorOptions {
  allow_insecure_destinations: boolean
  resolver: AddressResolver
  dial: Dial
  /** PEM. Certificate authorities trusted instead of those Node brings. */
  ca: string | undefined
}

/** Gives up, with the signal's reason, as soon as `signal` aborts. */
export type Connect = (target: buildConnector.Options, signal: AbortSignal) => Promise<Socket>

/**
 * Connects to addresses that were judged, so that a name cannot mean one thing to the check and another to
 * the connection. The certificate and SNI are for the name. One address that is not public among the
 * answers refuses them all.
 */
export function pinnedConnector(options: ConnectorOptions): Connect {
  return async (target, signal) => {
    const { hostname, protocol } = target
    const secure = protocol === 'https:'
    const addresses = await judgedAddresses(hostname, options, signal)
    signal.throwIfAborted()
    const port = Number(target.port || (secure ? 443 : 80))
    const tcp = options.dial({ hostname, addresses, port })
    await opened({ socket: tcp, event: 'connect', phase: 'tcp', signal })
    const socket = secure ? await handshake({ tcp, hostname, ca: options.ca, signal }) : tcp
    tolerateContinue(socket)
    return socket
  }
}

/**
 * How long Node waits for one of several addresses before it gives that one up and tries the next. Its own 250 ms are
 * less than a far handshake takes, or one whose first packet was lost.
 */
const one_address_ms = 3_000

/** All the addresses at once: Node tries one after the other, both families in turn. */
export const dialTcp: Dial = ({ hostname, addresses, port }) => {
  const answers = addresses.map((address) => ({ address, family: isIP(address) }))
  return connect({
    host: hostname,
    port,
    noDelay: true,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: one_address_ms,
    lookup: (_hostname, _options, answer) => answer(null, answers),
  })
}

async function judgedAddresses(
  hostname: string,
  options: ConnectorOptions,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const addresses = isIP(hostname) !== 0 ? [hostname] : await resolved(hostname, options.resolver, signal)
  if (addresses.length === 0) throw new AttemptFailure('dns')
  if (options.allow_insecure_destinations || addresses.every(isPublicAddress)) return addresses
  throw new AttemptFailure('host not allowed')
}

/** A resolver that does not heed the signal is left behind. */
async function resolved(
  hostname: string,
  resolver: AddressResolver,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const abandoned = Promise.withResolvers<never>()
  const abandon = () => abandoned.reject(signal.reason)
  signal.addEventListener('abort', abandon, { once: true })
  try {
    return await Promise.race([resolver.resolve(hostname, signal), abandoned.promise])
  } catch (error) {
    throw signal.aborted ? signal.reason : new AttemptFailure('dns', error)
  } finally {
    signal.removeEventListener('abort', abandon)
  }
}

async function handshake(on: {
  tcp: Socket
  hostname: string
  ca: string | undefined
  signal: AbortSignal
}): Promise<Socket> {
  const { tcp, hostname, ca, signal } = on
  const name = hostname.replace(/\.+$/, '')
  const socket = connectTls({
    socket: tcp,
    host: name,
    // RFC 6066: no address and no trailing dot in SNI.
    ...(isIP(name) === 0 ? { servername: name } : {}),
    ca,
    ALPNProtocols: ['http/1.1'],
    // Said outright, so that NODE_TLS_REJECT_UNAUTHORIZED=0 in the host does not reach deliveries.
    rejectUnauthorized: true,
  })
  await opened({ socket, event: 'secureConnect', phase: 'tls', signal })
  return socket
}

function opened(on: {
  socket: Socket
  event: 'connect' | 'secureConnect'
  phase: 'tcp' | 'tls'
  signal: AbortSignal
}): Promise<void> {
  const { socket, event, phase, signal } = on
  return new Promise((resolve, reject) => {
    const abandon = () => socket.destroy(signal.reason)
    signal.addEventListener('abort', abandon, { once: true })
    if (signal.aborted) abandon()
    // This listener stays: an error that comes before undici has put its own must not be an uncaught one.
    socket.on('error', (error) => reject(connectFailure(error, phase)))
    socket.once('close', () => reject(new AttemptFailure('connection reset')))
    socket.once(event, () => {
      signal.removeEventListener('abort', abandon)
      resolve()
    })
  })
}
