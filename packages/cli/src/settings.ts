import { join, resolve } from 'node:path'

/** What the environment variables set for the development server. */
export interface Settings {
  port: number
  home: string
  store: { filename: string } | { connectionString: string; schema: string }
  /** Null: webhooks wake up, and limits are counted, in this process. */
  redis: URL | null
  strict: boolean
  /** Origins of a developer's own pages, which may hold the frames of Elements. */
  page_origins: string[]
}

export function readSettings(env: NodeJS.ProcessEnv): Settings {
  const home = resolve(env.QUITTANCE_HOME || '.quittance')
  return {
    port: readPort(env.PORT || '4242'),
    home,
    store: readStore(env.QUITTANCE_STORE || `sqlite:${join(home, 'dev.db')}`),
    redis: env.QUITTANCE_REDIS ? readRedis(env.QUITTANCE_REDIS) : null,
    strict: readStrict(env.QUITTANCE_STRICT || '0'),
    page_origins: (env.QUITTANCE_PAGE_ORIGINS ?? '').split(/[\s,]+/).filter((origin) => origin !== ''),
  }
}

function readPort(text: string): number {
  const port = Number(text)
  if (!/^\d{1,5}$/.test(text) || port > 65_535)
    throw new Error(`PORT is a number from 0 to 65535, not ${text}.`)
  return port
}

/** Throws for anything else: whoever writes `true` must not get a server that is not strict. */
function readStrict(text: string): boolean {
  if (text !== '0' && text !== '1') throw new Error(`QUITTANCE_STRICT is 1 or 0, not ${text}.`)
  return text === '1'
}

function readStore(text: string): Settings['store'] {
  if (/^postgres(ql)?:\/\//.test(text)) return readPostgres(text)
  const filename = /^sqlite:(.+)$/.exec(text)?.[1]
  if (filename === undefined) throw new Error('QUITTANCE_STORE is sqlite:<file> or postgres://….')
  return { filename: resolve(filename) }
}

/** `?schema=` is ours: the driver would ignore it. */
function readPostgres(text: string): Settings['store'] {
  const [, before = text, query = ''] = /^([^?]*)\?(.*)$/s.exec(text) ?? []
  const parameters = new URLSearchParams(query)
  const schema = parameters.get('schema') || 'quittance'
  parameters.delete('schema')
  const connectionString = parameters.size > 0 ? `${before}?${parameters}` : before
  return { connectionString, schema }
}

/** The error does not repeat the value, which may contain a password. */
function readRedis(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null
  const of_redis = url !== null && /^rediss?:$/.test(url.protocol) && url.hostname !== ''
  if (!of_redis || !/^\/?\d*$/.test(url.pathname))
    throw new Error('QUITTANCE_REDIS is redis://<host>[:<port>][/<database>], or rediss:// with TLS.')
  return url
}
