import { join, resolve } from 'node:path'

/** What the development server is told by its environment. */
export interface Settings {
  port: number
  home: string
  database: string
  strict: boolean
}

export function readSettings(env: NodeJS.ProcessEnv): Settings {
  const home = resolve(env.QUITTANCE_HOME || '.quittance')
  return {
    port: readPort(env.PORT || '4242'),
    home,
    database: readStore(env.QUITTANCE_STORE || `sqlite:${join(home, 'dev.db')}`),
    strict: env.QUITTANCE_STRICT === '1',
  }
}

function readPort(text: string): number {
  const port = Number(text)
  if (!/^\d{1,5}$/.test(text) || port > 65_535)
    throw new Error(`PORT is a number from 0 to 65535, not ${text}.`)
  return port
}

function readStore(text: string): string {
  const filename = /^sqlite:(.+)$/.exec(text)?.[1]
  if (filename === undefined) throw new Error('QUITTANCE_STORE is sqlite:<file>.')
  return resolve(filename)
}
