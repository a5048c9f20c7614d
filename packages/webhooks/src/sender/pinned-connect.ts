import { connect, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { isPublicAddress } from '@quittance/core'
import type { buildConnector } from 'undici'
import { boundAnswers, tolerateContinue } from './interim-responses.ts'
import { AttemptFailure, connectFailure, OptionFault } from './last-error.ts'
import type { AddressResolver } from './resolver.ts'

/** Opens a TCP connection to one of `addresses`, which have all been judged, and to no other. At most 8 of a family. */
export type Dial = (target: { hostname: string; addresses: readonly string[]; port: number }) => Socket

interface PinnedConnectOptions {
  allow_insecure_destinations: boolean
  resolver: AddressResolver
  dial: Dial
  /** PEM. Certificate authorities to trust instead of Node's. */
  ca: string | undefined
}

/** Gives up, with the signal's reason, as soon as `signal` aborts. */
export type Connect = (target: buildConnector.Options, signal: AbortSignal) => Promise<Socket>

/**
 * Connects only to the addresses that were judged, so that a name cannot resolve to one address for the check and to
 * another for the connection. SNI and the certificate check use the name. If one of the resolved addresses is not
 * public, all are refused.
 */
export function pinnedConnect(options: PinnedConnectOptions): Connect {
  return async (target, signal) => {
    const { hostname, protocol } = target
    const secure = protocol === 'https:'
    const addresses = few(await judgedAddresses(hostname, options, signal))
    signal.throwIfAborted()
    const port = Number(target.port || (secure ? 443 : 80))
    const tcp = checkedSocket(options.dial({ hostname, addresses, port }))
    await opened({ socket: tcp, event: 'connect', phase: 'tcp', signal })
    const socket = secure ? await handshake({ tcp, hostname, ca: options.ca, signal }) : tcp
    boundAnswers(socket)
    tolerateContinue(socket)
    return socket
  }
}

/** What a host's `dial` may give by mistake has no `destroy`, and the end of the attempt would end the process. */
function checkedSocket(socket: Partial<Socket> | undefined): Socket {
  const isSocket = [socket?.on, socket?.once, socket?.read, socket?.destroy].every(
    (method) => typeof method === 'function',
  )
  if (isSocket) return socket as Socket
  // A promise, or the socket that it brings, may still fail, which would end the process too.
  Promise.resolve(socket)
    .then((late) => late?.on?.('error', () => {}).destroy?.())
    .catch(() => {})
  throw new OptionFault('`dial` gives a socket, at once: it is not awaited.')
}

/**
 * How long Node tries one of several addresses before the next. Its default of 250 ms is too short for a distant host,
 * or after a lost first packet.
 */
const one_address_ms = 3_000

/** Hands Node all addresses at once: it tries one after the other, alternating families. */
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
  options: PinnedConnectOptions,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const addresses = isIP(hostname) !== 0 ? [hostname] : await resolved(hostname, options.resolver, signal)
  const areAddresses =
    Array.isArray(addresses) && addresses.every((one) => typeof one === 'string' && isIP(one))
  if (!areAddresses) throw new OptionFault('`resolver` gives a list of IP addresses, each a text.')
  if (addresses.length === 0) throw new AttemptFailure('dns')
  if (options.allow_insecure_destinations || addresses.every(isPublicAddress)) return addresses
  throw new AttemptFailure('host not allowed')
}

/**
 * A name can have thousands of addresses, of anybody's hosts, and if one refuses, the next is tried at once: an attempt must
 * not become a scan of those hosts.
 */
const max_dialled_of_a_family = 8

function few(addresses: readonly string[]): readonly string[] {
  const counts = new Map<number, number>()
  return addresses.filter((address) => {
    const family = isIP(address)
    const count = (counts.get(family) ?? 0) + 1
    counts.set(family, count)
    return count <= max_dialled_of_a_family
  })
}

/** Does not wait for a resolver that ignores the signal. */
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
    // RFC 6066: SNI must not be an address or end with a dot.
    ...(isIP(name) === 0 ? { servername: name } : {}),
    ca,
    ALPNProtocols: ['http/1.1'],
    // Explicit, so that NODE_TLS_REJECT_UNAUTHORIZED=0 in the host does not affect deliveries.
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
    // This listener stays: an error before undici adds its own must not become an uncaught exception.
    socket.on('error', (error) => reject(connectFailure(error, phase)))
    socket.once('close', () => reject(new AttemptFailure('connection reset')))
    socket.once(event, () => {
      signal.removeEventListener('abort', abandon)
      resolve()
    })
  })
}
