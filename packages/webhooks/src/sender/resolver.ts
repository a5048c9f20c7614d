import { lookup, Resolver } from 'node:dns/promises'

/**
 * Resolves names to addresses, once per new connection. All addresses are judged before one is connected to, so an
 * implementation must not leave any out.
 */
export interface AddressResolver {
  /** All IPv4 and IPv6 addresses of `hostname`; rejects if there is none, and when `signal` aborts. */
  resolve(hostname: string, signal: AbortSignal): Promise<readonly string[]>
}

/**
 * The second try waits twice as long as the first, server by server. Measured on Node 24: a name that two silent
 * servers do not answer is given up after 7 s, which leaves an attempt half of its 15 s.
 */
const query_options = { timeout: 1_000, tries: 2 }

/**
 * Asks the DNS servers, not the system: `lookup` would read the hosts file, cannot be canceled, and blocks one of the
 * four threads that it shares with the host's file access.
 */
export const dnsResolver: AddressResolver = {
  async resolve(hostname, signal) {
    // Cancelling ends all queries of a resolver, so each name has its own.
    const resolver = new Resolver(query_options)
    const cancel = () => resolver.cancel()
    signal.addEventListener('abort', cancel, { once: true })
    try {
      const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
      return addressesOf(answers)
    } finally {
      signal.removeEventListener('abort', cancel)
    }
  },
}

/** Resolves as the system does, with `localhost` and the hosts file. For insecure destinations only. */
export const systemResolver: AddressResolver = {
  async resolve(hostname) {
    const answers = await lookup(hostname, { all: true, verbatim: true })
    return answers.map((answer) => answer.address)
  },
}

/** IPv4 first, because it works everywhere. One family may have no addresses, but not both. */
function addressesOf(answers: readonly PromiseSettledResult<string[]>[]): string[] {
  const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
  const refused = answers.find((answer) => answer.status === 'rejected')
  if (addresses.length === 0 && refused !== undefined) throw refused.reason
  return addresses
}
