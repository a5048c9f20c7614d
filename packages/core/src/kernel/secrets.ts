import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hash,
  hkdfSync,
  timingSafeEqual,
} from 'node:crypto'
import type { Ids } from '../ports/ids.ts'
import type { Scope } from '../ports/store.ts'

/**
 * What is derived from the host's one secret: a key for client secrets, one for pages' addresses, and one that seals
 * whatever is stored sealed. None reveals another.
 */
export interface Secrets {
  /** `<session_id>_secret_<…>`. Derived, so that it is not stored and a replay can still show it. */
  clientSecret(session_id: string): string
  isClientSecret(session_id: string, candidate: string): boolean
  /** The token in a hosted page's address: it names the page, and proves that we made it. */
  pageToken(kind: PageKind, of: PageOf): string
  /** The page behind a token; null if we did not make the token. */
  openPageToken(kind: PageKind, token: string): PageOf | null
  /** A new webhook secret: `whsec_` and 32 random bytes in base64url. */
  webhookSecret(): string
  encrypt(text: string): string
  decrypt(sealed: string): string
}

export type PageKind = 'checkout_session' | 'invoice'
export type PageOf = Scope & { id: string }

export function createSecrets(secret: string | Uint8Array, ids: Ids): Secrets {
  const material = typeof secret === 'string' ? Buffer.from(secret, 'utf8') : secret
  // An environment variable that is not set arrives here as undefined, whatever the types say.
  if (!(material?.length >= 32)) throw new Error('The engine needs a `secret` of at least 32 bytes.')
  // Key objects: for raw bytes node:crypto first checks that they are not one, which takes longer than using them.
  const host_key = createSecretKey(material)
  const derive = (purpose: string) =>
    createSecretKey(Buffer.from(hkdfSync('sha256', host_key, '', `quittance/${purpose}`, 32)))
  const session_key = derive('client-secret')
  // Seals ledger tokens, integrations' configurations and stored answers too. Under another name none would open.
  const sealing_key = derive('webhook-secret')

  const page_key = derive('page')
  const pageProof = (kind: PageKind, text: string) =>
    createHmac('sha256', page_key).update(`${kind}\n${text}`).digest('base64url').slice(0, 32)

  const clientSecret = (session_id: string) =>
    `${session_id}_secret_${createHmac('sha256', session_key).update(session_id).digest('base64url')}`

  return {
    clientSecret,
    isClientSecret(session_id, candidate) {
      return timingSafeEqual(sha256(candidate), sha256(clientSecret(session_id)))
    },
    pageToken(kind, { workspace, livemode, id }) {
      const text = Buffer.from([workspace, livemode ? 'live' : 'test', id].join(' ')).toString('base64url')
      return `${text}.${pageProof(kind, text)}`
    },
    openPageToken(kind, token) {
      const [text = '', proof = ''] = token.split('.')
      if (!timingSafeEqual(sha256(proof), sha256(pageProof(kind, text)))) return null
      const [workspace = '', mode, id = ''] = Buffer.from(text, 'base64url').toString().split(' ')
      return { workspace, livemode: mode === 'live', id }
    },
    webhookSecret: () => `whsec_${Buffer.from(ids.bytes(32)).toString('base64url')}`,
    encrypt(text) {
      const nonce = ids.bytes(12)
      const cipher = createCipheriv('aes-256-gcm', sealing_key, nonce)
      const sealed = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
      return sealed.toString('base64url')
    },
    decrypt(sealed) {
      const bytes = Buffer.from(sealed, 'base64url')
      try {
        const nonce = bytes.subarray(0, 12)
        // Of what is too short, a shorter tag would be taken for one.
        const decipher = createDecipheriv('aes-256-gcm', sealing_key, nonce, { authTagLength: 16 })
        decipher.setAuthTag(bytes.subarray(-16))
        return decipher.update(bytes.subarray(12, -16), undefined, 'utf8') + decipher.final('utf8')
      } catch (cause) {
        throw new Error('What is stored was sealed with another `secret` than the engine has now.', { cause })
      }
    },
  }
}

function sha256(text: string): Buffer {
  return hash('sha256', text, 'buffer')
}
