import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { deliveryTarget, faultInUrl, isPublicAddress } from '../src/webhook-endpoints/destination.ts'

interface Row {
  id: string
  url: string
  save: 'accept' | 'refuse'
  note: string
}

const corpus = new URL('../../testing/corpora/ssrf.json', import.meta.url)
const rows: Row[] = JSON.parse(readFileSync(corpus, 'utf8'))

const strict = { allow_insecure: false }
const insecure = { allow_insecure: true }

describe('a webhook url is https on a publicly reachable host', () => {
  it('has 141 recorded verdicts', () => expect(rows).toHaveLength(141))

  it.each(rows.map((row) => [row.id, row.save, row.url, row.note, row] as const))(
    '%s: %s %s (%s)',
    (_id, save, _url, _note, row) => {
      expect(faultInUrl(row.url, strict) === null ? 'accept' : 'refuse').toBe(save)
    },
  )

  it.each([
    'https://example.com/a\tb',
    'https://exam\nple.com/',
    'https://example.com/ ',
    'https:example.com',
    'https:///example.com',
    'https://@example.com/',
    'https://',
    '',
  ])('refuses %j, which WHATWG would quietly repair', (url) => {
    expect(faultInUrl(url, strict)).not.toBeNull()
  })

  it('takes a space inside a path, which WHATWG escapes, and a name in punycode', () => {
    expect(faultInUrl('https://example.com/a b', strict)).toBeNull()
    expect(faultInUrl('https://xn--bcher-kva.example/', strict)).toBeNull()
  })

  it.each([
    ['http://example.com/', 'must be an https URL'],
    ['ftp://https://example.com/', 'must be an https URL'],
    ['https://ada:pw@example.com/', 'must not contain a user name or password'],
    ['https://example.com\\hook', 'must not contain backslashes, control characters or surrounding spaces'],
    ['https://example.com/\u007f', 'must not contain backslashes, control characters or surrounding spaces'],
    ['https://[::1', 'must be a valid URL'],
    ['https://xn--a.example.com/', 'must be a valid URL'],
    ['https://./', 'must be on a publicly reachable host'],
    ['https://example.com:0/', 'must not use port 0'],
    ['https://10.0.0.1/', 'must be on a publicly reachable host'],
  ])('gives for %j a reason a person can act on: it %s', (url, reason) => {
    expect(faultInUrl(url, strict)).toBe(reason)
  })
})

describe('insecure destinations, where allowed', () => {
  it.each(['http://localhost:3000/hook', 'http://127.0.0.1/', 'https://[::1]/', 'http://app.internal/'])(
    'accepts %s',
    (url) => expect(faultInUrl(url, insecure)).toBeNull(),
  )

  it('says that both schemes would do', () => {
    expect(faultInUrl('ftp://localhost/', insecure)).toBe('must be an http or https URL')
  })

  it.each([
    'ftp://localhost/',
    'xhttp://localhost/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'http://user@localhost/',
    'hook',
    'http://[::1',
  ])('still refuses %s', (url) => expect(faultInUrl(url, insecure)).not.toBeNull())
})

describe('an address is public only where it is globally reachable unicast', () => {
  it.each([
    '93.184.216.34',
    '100.128.0.1',
    '172.32.0.0',
    '223.255.255.255',
    '168.63.129.17',
    '::ffff:8.8.8.8',
  ])('%s is public', (address) => expect(isPublicAddress(address)).toBe(true))

  it.each(['2606:4700:4700::1111', '2001:4860:4860::8844', '2a00:1450:4001:80b::200e', '2001:200::1'])(
    '%s is public',
    (address) => expect(isPublicAddress(address)).toBe(true),
  )

  it.each([
    '0.0.0.0',
    '100.64.0.1',
    '168.63.129.16',
    '169.254.169.254',
    '172.31.255.255',
    '192.0.0.192',
    '198.19.255.255',
    '203.0.113.1',
    '239.255.255.255',
    '255.255.255.255',
  ])('%s is not', (address) => expect(isPublicAddress(address)).toBe(false))

  it.each([
    '::',
    '::1',
    '::7f00:1',
    '::a9fe:a9fe',
    '::ffff:127.0.0.1',
    '::ffff:a9fe:a9fe',
    '::ffff:0:8.8.8.8',
    '64:ff9b::1',
    '64:ff9b::808:808',
    '64:ff9b:1::1',
    '100::1',
    '2001::1',
    '2001:db8::1',
    '2002:808:808::1',
    '3fff::1',
    '4000::1',
    '5f00::1',
    'fc00::1',
    'fe80::1',
    'fe80::1%eth0',
    '2606:4700:4700::1111%eth0',
    'fec0::1',
    'ff02::1',
  ])('%s is not', (address) => expect(isPublicAddress(address)).toBe(false))

  it.each(['', 'example.com', '127.1', '0x7f000001', '[::1]', '1.2.3.4.5'])(
    '%j is no address at all',
    (address) => expect(isPublicAddress(address)).toBe(false),
  )
})

describe('a delivery judges scheme and literal address before any name is resolved', () => {
  it.each([
    'http://example.com/',
    'https://169.254.169.254/',
    'https://0x7f.1/',
    'https://[::1]/',
    'https://xn--/',
    '/hook',
  ])('goes nowhere for %s', (url) => expect(deliveryTarget(url, strict)).toBeNull())

  it('leaves names to what they resolve to', () => {
    expect(deliveryTarget('https://localhost/hook', strict)?.hostname).toBe('localhost')
    expect(deliveryTarget('https://1.1.1.1/hook', strict)?.hostname).toBe('1.1.1.1')
  })

  it('goes to http and private hosts where insecure destinations are allowed', () => {
    expect(deliveryTarget('http://127.0.0.1:3000/', insecure)?.port).toBe('3000')
    expect(deliveryTarget('https://10.0.0.1/', insecure)?.hostname).toBe('10.0.0.1')
    expect(deliveryTarget('xhttp://127.0.0.1/', insecure)).toBeNull()
    expect(deliveryTarget('ftp://127.0.0.1/', insecure)).toBeNull()
  })
})
