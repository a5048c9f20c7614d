import { randomBytes, randomUUID } from 'node:crypto'
import { existsSync, linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { KeyScope } from '@quittance/core'
import type { DemoAddresses, DemoShop } from './demo/demo-shop.ts'

/** `dev.json`: what a script needs to talk to the development server. Keys are sandbox secret keys unless named otherwise. */
export interface DevFile {
  base_url: string
  back_office_url: string
  back_office_token: string
  /** The origin of the frames of Elements: `/card` and `/bank-account`. */
  tokenizer_url: string
  sandbox: { secret_key: string; publishable_key: string }
  live: { secret_key: string; publishable_key: string }
  workspace_id: string
  connection_id: string
  fixtures: {
    restricted: Record<KeyScope, string>
    no_scope: string
    revoked: string
    disabled_workspace: string
    refunds_disabled_workspace: string
    other_workspace: string
  }
  /** A shop in a workspace of its own, and pages on which it can be paid at once. */
  demo: DemoShop & DemoAddresses
}

export type Home = ReturnType<typeof openHome>

/** The server's folder. Its files hold keys, so nobody else may read them. */
export function openHome(home: string) {
  mkdirSync(home, { recursive: true, mode: 0o700 })
  const dev_file = join(home, 'dev.json')
  return {
    /** The engine's secret, made once. */
    secret(): string {
      const file = join(home, 'secret')
      if (!existsSync(file)) placeFile(file, randomBytes(32).toString('base64url'))
      return readFileSync(file, 'utf8')
    },
    path: (name: string) => join(home, name),
    readDevFile(): DevFile | null {
      return existsSync(dev_file) ? parseDevFile(dev_file) : null
    },
    writeDevFile(content: DevFile): void {
      replaceFile(dev_file, `${JSON.stringify(content, null, 2)}\n`)
    },
  }
}

function parseDevFile(file: string): DevFile {
  try {
    const content = JSON.parse(readFileSync(file, 'utf8')) as DevFile
    if (typeof content.sandbox.secret_key === 'string') return content
  } catch {}
  throw new Error(`${file} is damaged: delete it, and the server makes new keys.`)
}

/** Whole or not at all, also when the process is killed in the middle. */
function replaceFile(file: string, content: string): void {
  renameSync(newFile(file, content), file)
}

/** The same, but an existing file stays: servers that start together all get the one that the first of them wrote. */
function placeFile(file: string, content: string): void {
  const made = newFile(file, content)
  try {
    linkSync(made, file)
  } catch {
    // Another server was first, or the file system has no links.
    if (!existsSync(file)) renameSync(made, file)
  } finally {
    rmSync(made, { force: true })
  }
}

/** Under a name of its own, because another server may be at the same file. */
function newFile(file: string, content: string): string {
  const made = `${file}.${randomUUID()}`
  writeFileSync(made, content, { mode: 0o600 })
  return made
}
