import { X509Certificate } from 'node:crypto'
import { type Clock, deliveryTarget, option, refuseWrongOptions, systemClock } from '@quittance/core'
import { Connections } from './connections.ts'
import { type AttemptOutcome, Exchange } from './exchange.ts'
import { type Dial, dialTcp, pinnedConnect } from './pinned-connect.ts'
import { type AddressResolver, dnsResolver, systemResolver } from './resolver.ts'

export interface AttemptRequest {
  url: string
  headers: Record<string, string>
  /** The signed bytes, sent unchanged. */
  body: Uint8Array | string
}

export interface Sender {
  /** Posts once and returns the outcome. Rejects only if the request cannot be made, as with an invalid header. */
  send(request: AttemptRequest): Promise<AttemptOutcome>
  /** Waits for the attempts under way, then closes every connection. */
  close(): Promise<void>
}

export interface SenderOptions {
  /** Accepts `http` and private hosts, for local development. */
  allowInsecureDestinations: boolean
  /** From the call of `send` to the end of the response's head. Default and maximum: 15 000 (specification: Limits). */
  timeoutMs?: number | undefined
  /** Default: DNS; with insecure destinations the system's lookup, which knows `localhost`. */
  resolver?: AddressResolver | undefined
  /** PEM. Certificate authorities to trust instead of Node's. */
  ca?: string | undefined
  /** Opens TCP connections to judged addresses; for an egress proxy, and for tests. */
  dial?: Dial | undefined
  /** Connections kept open for the next delivery, over all receivers. Default 1 000. */
  maxIdleConnections?: number | undefined
  after?: Clock['after'] | undefined
}

/** No attempt may take longer, because leases are sized for it. */
export const longest_attempt_ms = 15_000

const default_max_idle_connections = 1_000

/**
 * Sends deliveries over keep-alive connections, pooled by origin. Does not follow redirects or decompress, reads no
 * cookies, and keeps nothing of a response but its status.
 */
export function createSender(options: SenderOptions): Sender {
  refuseWrongOptions('createSender', options, {
    allowInsecureDestinations: option.required(option.flag),
    timeoutMs: option.positive,
    resolver: option.port('resolve'),
    ca: option.text,
    dial: option.call,
    maxIdleConnections: option.unlimited(option.countOrNone),
    after: option.call,
  })
  const { timeoutMs: timeout_ms = longest_attempt_ms, after = systemClock.after } = options
  if (timeout_ms > longest_attempt_ms)
    throw new TypeError(`\`timeoutMs\` is above 0, and at most ${longest_attempt_ms}.`)
  const { allowInsecureDestinations: allow_insecure_destinations, dial = dialTcp, ca } = options
  if (ca !== undefined) checkCertificates(ca)
  const resolver = options.resolver ?? (allow_insecure_destinations ? systemResolver : dnsResolver)
  const connect = pinnedConnect({ allow_insecure_destinations, resolver, dial, ca })
  const connections = new Connections(connect, options.maxIdleConnections ?? default_max_idle_connections)
  const attempts = new Set<Promise<AttemptOutcome>>()
  let isClosed = false

  function attempt(target: URL, { headers, body }: AttemptRequest): Promise<AttemptOutcome> {
    const connection = connections.take(target.origin)
    return new Promise((settled, faulted) => {
      const handler = new Exchange({
        timeout_ms,
        after,
        settled,
        faulted,
        kept: () => connections.keep(connection),
        dropped: (reason) => connections.drop(connection, reason),
      })
      const path = target.pathname + target.search
      connection.client.dispatch({ path, method: 'POST', headers, body }, handler)
    })
  }

  return {
    async send(request) {
      if (isClosed) throw new Error('The sender is closed')
      const target = deliveryTarget(request.url, { allow_insecure: allow_insecure_destinations })
      if (target === null) return { response_status: null, error: 'host not allowed' }
      const made = attempt(target, request)
      attempts.add(made)
      try {
        return await made
      } finally {
        attempts.delete(made)
      }
    },

    async close() {
      isClosed = true
      await Promise.allSettled(attempts)
      connections.close()
    },
  }
}

/** Node ignores what is no certificate, and would then trust nobody: no delivery would arrive. */
function checkCertificates(ca: string): void {
  try {
    new X509Certificate(ca)
  } catch {
    throw new TypeError('`ca` of createSender is PEM: the text of certificates, not the name of a file.')
  }
}
