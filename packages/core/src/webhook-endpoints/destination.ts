import { BlockList, isIP } from 'node:net'
import { domainToUnicode } from 'node:url'
import { faultInUrlText } from '../schema/url-text.ts'

/**
 * Why a webhook URL cannot be saved, or null if it can. The host is judged as WHATWG parses it: `0x7f.1` is
 * 127.0.0.1, and `LOCALHOST.` is localhost. A name that resolves to a private address is accepted here, because
 * names are judged at each delivery (specification: Delivery, 6).
 */
export function faultInUrl(url: string, options: { allow_insecure: boolean }): string | null {
  const text = faultInUrlText(url)
  if (text !== null) return text
  const [, scheme, authority] = /^(https?):\/\/([^/?#]+)/i.exec(url) ?? []
  const secure = scheme?.toLowerCase() === 'https'
  if (authority === undefined || !(secure || options.allow_insecure)) {
    return options.allow_insecure ? 'must be an http or https URL' : 'must be an https URL'
  }
  if (authority.includes('@')) return 'must not contain a user name or password'
  const parsed = parseUrl(url)
  if (parsed === null) return 'must be a valid URL'
  if (parsed.port === '0') return 'must not use port 0'
  const reachable = options.allow_insecure || !(isRefusedLiteral(parsed) || isLocalName(parsed))
  return reachable ? null : 'must be on a publicly reachable host'
}

/**
 * The parsed `url` of a delivery, or null if it is not allowed. Judges what is known before the name is resolved: the
 * scheme, and a host written as an address. The sender judges each resolved address with `isPublicAddress`.
 */
export function deliveryTarget(url: string, options: { allow_insecure: boolean }): URL | null {
  const parsed = parseUrl(url)
  if (parsed === null) return null
  if (options.allow_insecure) return /^https?:/.test(parsed.protocol) ? parsed : null
  return parsed.protocol === 'https:' && !isRefusedLiteral(parsed) ? parsed : null
}

/**
 * Whether a literal address, as DNS gives it, is globally reachable unicast. IPv6 is refused unless known
 * to be fine: inside 2000::/3 and outside the exceptions. An IPv4-mapped address is judged as its IPv4
 * address; the forms that tunnel or translate to IPv4 (NAT64, 6to4, Teredo, IPv4-compatible and
 * -translated) are refused whatever they carry, and so is an address with a zone.
 */
export function isPublicAddress(address: string): boolean {
  const version = address.includes('%') ? 0 : isIP(address)
  if (version === 0) return false
  if (version === 4) return !refusedIPv4.check(address, 'ipv4')
  const mapped = mappedIPv4(address)
  if (mapped !== null) return !refusedIPv4.check(mapped, 'ipv4')
  return globalUnicast.check(address, 'ipv6') && !refusedIPv6.check(address, 'ipv6')
}

const local_suffixes = ['.localhost', '.local', '.internal']

// Sources: IANA IPv4 and IPv6 Special-Purpose Address Registries, and the IPv4 address space registry.
// Blocks that IANA calls reachable but that serve a protocol rather than a host are refused too.
const refusedIPv4 = blockList('ipv4', [
  ['0.0.0.0', 8], // "this network", RFC 791
  ['10.0.0.0', 8], // private use, RFC 1918
  ['100.64.0.0', 10], // shared address space behind carrier NAT, RFC 6598
  ['127.0.0.0', 8], // loopback, RFC 1122
  ['168.63.129.16', 32], // Azure wire server: public by number, reachable only inside a virtual machine
  ['169.254.0.0', 16], // link-local, RFC 3927; cloud metadata services
  ['172.16.0.0', 12], // private use, RFC 1918
  ['192.0.0.0', 24], // IETF protocol assignments, RFC 6890; Oracle metadata
  ['192.0.2.0', 24], // documentation TEST-NET-1, RFC 5737
  ['192.31.196.0', 24], // AS112-v4, RFC 7535
  ['192.52.193.0', 24], // AMT, RFC 7450
  ['192.88.99.0', 24], // deprecated 6to4 relay anycast, RFC 7526
  ['192.168.0.0', 16], // private use, RFC 1918
  ['192.175.48.0', 24], // direct delegation AS112 service, RFC 7534
  ['198.18.0.0', 15], // benchmarking, RFC 2544
  ['198.51.100.0', 24], // documentation TEST-NET-2, RFC 5737
  ['203.0.113.0', 24], // documentation TEST-NET-3, RFC 5737
  ['224.0.0.0', 4], // multicast, RFC 5771
  ['240.0.0.0', 4], // reserved, RFC 1112; the limited broadcast address
])

const globalUnicast = blockList('ipv6', [
  ['2000::', 3], // global unicast, RFC 4291: the only part IANA assigns from
])

const refusedIPv6 = blockList('ipv6', [
  ['2001::', 23], // IETF protocol assignments, RFC 2928: Teredo, benchmarking, ORCHID, AMT, AS112, drone ids
  ['2001:db8::', 32], // documentation, RFC 3849
  ['2002::', 16], // 6to4, RFC 3056
  ['2620:4f:8000::', 48], // direct delegation AS112 service, RFC 7534
  ['3ffe::', 16], // 6bone, returned to IANA, RFC 3701
  ['3fff::', 20], // documentation, RFC 9637
])

/** Null also for a host with an `xn--` label that does not decode, which newer URL parsers accept. */
function parseUrl(url: string): URL | null {
  const parsed = URL.parse(url)
  if (!parsed?.hostname.includes('xn--')) return parsed
  const labels = domainToUnicode(parsed.hostname).split('.')
  return labels.some((label) => label.startsWith('xn--')) ? null : parsed
}

function isRefusedLiteral({ hostname }: URL): boolean {
  if (hostname.startsWith('[')) return !isPublicAddress(hostname.slice(1, -1))
  return isIP(hostname) === 4 && !isPublicAddress(hostname)
}

function isLocalName({ hostname }: URL): boolean {
  const name = hostname.replace(/\.+$/, '')
  return name === '' || name === 'localhost' || local_suffixes.some((suffix) => name.endsWith(suffix))
}

/** The IPv4 address inside `::ffff:0:0/96`, else null. WHATWG normalizes every spelling of such an address. */
function mappedIPv4(address: string): string | null {
  const { hostname } = new URL(`http://[${address}]/`)
  const mapped = /\[::ffff:([0-9a-f]+):([0-9a-f]+)\]/.exec(hostname)
  if (mapped === null) return null
  const bytes = mapped.slice(1).flatMap((group) => {
    const value = Number.parseInt(group, 16)
    return [value >> 8, value & 0xff]
  })
  return bytes.join('.')
}

function blockList(family: 'ipv4' | 'ipv6', blocks: readonly (readonly [string, number])[]): BlockList {
  const list = new BlockList()
  for (const [network, prefix_bits] of blocks) list.addSubnet(network, prefix_bits, family)
  return list
}
