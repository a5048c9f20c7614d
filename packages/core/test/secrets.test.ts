import { describe, expect, it } from 'vitest'
import { createSecrets } from '../src/kernel/secrets.ts'
import { createIds } from '../src/ports/ids.ts'

/** The shortest that is taken, not of ASCII alone. */
const secret = 'ein geheimer Schlüssel 32 Bytes'
const secrets = createSecrets(secret, createIds())

const page = { workspace: 'acme', livemode: true, id: 'inv' }
const token = 'YWNtZSBsaXZlIGludg.qARod7VTCjZ5_RBxrzZamGoWkv6IU20Y'

// What an engine of this secret once sealed and gave out. If it opens no more, neither does what hosts have stored.
describe('a secret opens for good', () => {
  it('what was sealed with it', () => {
    const sealed = 'c9lxdMC3VbSrfos3-QQHrbPMykKtnXw3eSYuwZ9_LC5EyTw'
    expect(secrets.opened(sealed)).toBe('a token')
  })

  it('the address of a page', () => {
    expect(secrets.openPageToken('invoice', token)).toEqual(page)
  })

  it('a session', () => {
    const client_secret = 'pms_test_1_secret_fmRkaPyOqanzfJukSxfhPiDIq7YtFt7dLjI37gR-EP4'
    expect(secrets.isClientSecret('pms_test_1', client_secret)).toBe(true)
    expect(secrets.isClientSecret('pms_test_2', client_secret)).toBe(false)
  })
})

describe('the token of a page opens nothing', () => {
  it('where any of its proof is cut off', () => {
    for (let length = 0; length < token.length; length += 1)
      expect(secrets.openPageToken('invoice', token.slice(0, length))).toBe(null)
  })

  it('on pages of another kind', () => {
    expect(secrets.openPageToken('checkout_session', token)).toBe(null)
  })
})

it('the same text is sealed differently each time', () => {
  expect(secrets.encrypt('a token')).not.toBe(secrets.encrypt('a token'))
})

it('what is sealed opens to nothing where any of it was changed or cut off', () => {
  const sealed = Buffer.from(secrets.encrypt('a token'), 'base64url')
  for (let at = 0; at < sealed.length; at += 1) {
    expect(secrets.opened(sealed.subarray(0, at).toString('base64url'))).toBe(null)
    const changed = Buffer.from(sealed)
    changed.writeUInt8(sealed.readUInt8(at) ^ 1, at)
    expect(secrets.opened(changed.toString('base64url'))).toBe(null)
  }
})
