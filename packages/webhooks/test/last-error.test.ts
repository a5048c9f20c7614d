import { errors } from 'undici'
import { describe, expect, it } from 'vitest'
import { AttemptFailure, connectFailure, failureText } from '../src/sender/last-error.ts'

const coded = (code: unknown) => Object.assign(new Error('what a receiver sent'), { code })

/** What a connection's own code is called, wherever it fails. */
const connection_codes = [
  ['ECONNREFUSED', 'connection refused'],
  ['EHOSTUNREACH', 'connection refused'],
  ['ENETUNREACH', 'connection refused'],
  ['ECONNRESET', 'connection reset'],
  ['ECONNABORTED', 'connection reset'],
  ['EPIPE', 'connection reset'],
  ['ETIMEDOUT', 'timeout'],
] as const

describe('the `last_error` of an attempt that no response decided', () => {
  it.each(connection_codes)('for %s is `%s`', (code, text) => expect(failureText(coded(code))).toBe(text))

  it.each(['ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_TLS_CERT_ALTNAME_INVALID', 'ERR_OSSL_EVP_UNSUPPORTED'])(
    'for %s is `tls`',
    (code) => expect(failureText(coded(code))).toBe('tls'),
  )

  it.each([
    coded('HPE_INVALID_CONSTANT'),
    coded('UNDICI_ERR_SSL_'),
    coded(111),
    coded('EMFILE'),
    { code: 'ECONNRESET' },
    'ECONNRESET',
    null,
  ])('is `invalid response` where nothing else is known: %o', (error) => {
    expect(failureText(error)).toBe('invalid response')
  })

  it.each([
    ['other side closed', 'connection reset'],
    ['bad response', 'invalid response'],
    ['bad upgrade', 'invalid response'],
    ['a bad response', 'connection reset'],
    ['bad response after all', 'connection reset'],
  ])('tells a connection that broke from an answer that makes no sense: %s', (message, text) => {
    expect(failureText(new errors.SocketError(message))).toBe(text)
  })

  it('is the reason that was known already', () => {
    expect(failureText(new AttemptFailure('host not allowed'))).toBe('host not allowed')
  })
})

describe('an attempt that cannot connect', () => {
  it.each(connection_codes)('because of %s failed with `%s`, in either phase', (code, text) => {
    for (const phase of ['tcp', 'tls'] as const) expect(connectFailure(coded(code), phase).text).toBe(text)
  })

  it('failed with `tls` once the TCP connection was made, else with `connection refused`', () => {
    expect(connectFailure(coded('CERT_HAS_EXPIRED'), 'tls').text).toBe('tls')
    expect(connectFailure(coded('EADDRNOTAVAIL'), 'tcp').text).toBe('connection refused')
  })

  it('keeps its cause, and a reason that was known already', () => {
    const error = coded('ECONNREFUSED')
    expect(connectFailure(error, 'tcp')).toMatchObject({ message: 'connection refused', cause: error })
    const known = new AttemptFailure('timeout')
    expect(connectFailure(known, 'tls')).toBe(known)
  })
})
