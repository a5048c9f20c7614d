import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hash,
  hkdfSync,
  type KeyObject,
  timingSafeEqual,
} from 'node:crypto'
import type { Ids } from '../ports/ids.ts'
import type { Scope } from '../ports/store.ts'
import { modeOf } from '../schema/ids.ts'

/**
 * What is derived from the host's secret: a key for client secrets, one for pages' addresses, and one that seals
 * whatever is stored sealed. None reveals another.
 */
export interface Secrets {
  /** `<session_id>_secret_<…>`. Derived, not stored, so that a replayed response can still show it. */
  clientSecret(session_id: string): string
  isClientSecret(session_id: string, candidate: string): boolean
  /** The token in a hosted page's address: it names the page, and proves that we made it. */
  pageToken(kind: PageKind, of: PageOf): string
  /** The page behind a token; null if we did not make the token. */
  openPageToken(kind: PageKind, token: string): PageOf | null
  /** A new webhook secret: `whsec_` and 32 random bytes in base64url. */
  webhookSecret(): string
  encrypt(text: string): string
  /** Null if none of the host's secrets opens it. */
  opened(sealed: string): string | null
  /** Like `opened`, but throws instead. */
  decrypt(sealed: string): string
  /** Whether it was sealed with the secret that seals now, and not with a former one. */
  isCurrent(sealed: string): boolean
}

type PageKind = 'checkout_session' | 'invoice'
export type PageOf = Scope & { id: string }

type Material = string | Uint8Array

/** Of several secrets, the first is used for everything new, and the others still open what was made with them. */
export function createSecrets(secret: Material | readonly Material[], ids: Ids): Secrets {
  const [current, ...former] = (Array.isArray(secret) ? secret : [secret]).map(keysOf)
  if (current === undefined) throw new Error(needed)
  const all = [current, ...former]
  const opened = (sealed: string): string | null => {
    for (const keys of all) {
      const text = openedWith(keys, sealed)
      if (text !== null) return text
    }
    return null
  }

  return {
    clientSecret: (session_id) => clientSecret(current, session_id),
    isClientSecret(session_id, candidate) {
      return all.some((keys) => timingSafeEqual(sha256(candidate), sha256(clientSecret(keys, session_id))))
    },
    pageToken(kind, { workspace, livemode, id }) {
      const text = Buffer.from([workspace, modeOf(livemode), id].join(' ')).toString('base64url')
      return `${text}.${pageProof(current, kind, text)}`
    },
    openPageToken(kind, token) {
      const [text = '', proof = ''] = token.split('.')
      const isOurs = (keys: Keys) => timingSafeEqual(sha256(proof), sha256(pageProof(keys, kind, text)))
      if (!all.some(isOurs)) return null
      const [workspace = '', mode, id = ''] = Buffer.from(text, 'base64url').toString().split(' ')
      return { workspace, livemode: mode === 'live', id }
    },
    webhookSecret: () => `whsec_${Buffer.from(ids.bytes(32)).toString('base64url')}`,
    encrypt: (text) => seal(current, text, ids.bytes(12)),
    opened,
    decrypt(sealed) {
      const text = opened(sealed)
      if (text !== null) return text
      throw new Error('What is stored was sealed with another `secret` than the engine has now.')
    },
    isCurrent: (sealed) => openedWith(current, sealed) !== null,
  }
}

interface Keys {
  session: KeyObject
  sealing: KeyObject
  page: KeyObject
}

const needed = 'The engine needs a `secret` of at least 32 bytes.'

function keysOf(secret: Material): Keys {
  const material = typeof secret === 'string' ? Buffer.from(secret, 'utf8') : secret
  // An environment variable that is not set arrives here as undefined, whatever the types say.
  if (!(material?.length >= 32)) throw new Error(needed)
  // Key objects: given raw bytes, node:crypto first checks that they are not one, which takes longer than using them.
  const host_key = createSecretKey(material)
  const derive = (purpose: string) =>
    createSecretKey(Buffer.from(hkdfSync('sha256', host_key, '', `quittance/${purpose}`, 32)))
  return {
    session: derive('client-secret'),
    // Seals ledger tokens, integrations' configurations and stored responses too. Under another name none would open.
    sealing: derive('webhook-secret'),
    page: derive('page'),
  }
}

function clientSecret({ session }: Keys, session_id: string): string {
  return `${session_id}_secret_${createHmac('sha256', session).update(session_id).digest('base64url')}`
}

function pageProof({ page }: Keys, kind: PageKind, text: string): string {
  return createHmac('sha256', page).update(`${kind}\n${text}`).digest('base64url').slice(0, 32)
}

function seal({ sealing }: Keys, text: string, nonce: Uint8Array): string {
  const cipher = createCipheriv('aes-256-gcm', sealing, nonce)
  const sealed = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
  return sealed.toString('base64url')
}

/** Null if it was sealed with other keys, or is not whole. */
function openedWith({ sealing }: Keys, sealed: string): string | null {
  const bytes = Buffer.from(sealed, 'base64url')
  try {
    const nonce = bytes.subarray(0, 12)
    // Without a length, node:crypto would accept the shorter tag of input that is too short.
    const decipher = createDecipheriv('aes-256-gcm', sealing, nonce, { authTagLength: 16 })
    decipher.setAuthTag(bytes.subarray(-16))
    return decipher.update(bytes.subarray(12, -16), undefined, 'utf8') + decipher.final('utf8')
  } catch {
    return null
  }
}

function sha256(text: string): Buffer {
  return hash('sha256', text, 'buffer')
}
