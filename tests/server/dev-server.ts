import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readText, root } from '../../tools/packages.ts'

/** What the development server writes for scripts, as far as these tests read it. */
export interface DevFile {
  base_url: string
  tokenizer_url: string
  back_office_token: string
  sandbox: { secret_key: string; publishable_key: string }
  demo: { shop_url: string; checkout_url: string; invoice_url: string }
}

export interface DevServer extends DevFile {
  /** The process that was started: npm's, or the server's own. */
  process: ChildProcess
  /** Sends the signal, and waits for the end: the exit code, or the signal that ended it. */
  stop(signal: NodeJS.Signals): Promise<number | NodeJS.Signals | null>
  /** Ends whatever is left of it, also what its parent left behind. */
  destroy(): void
}

/** A home of its own for one test. */
export function temporaryHome(): { home: string; remove(): void } {
  const home = mkdtempSync(join(tmpdir(), 'quittance-home-'))
  return { home, remove: () => rmSync(home, { recursive: true }) }
}

/** `npm start`, with npm in between. */
export const npmStart = ['npm', 'start'] as const

/** What `npm start` runs, without npm in between: the process is the server itself. */
export function bareStart(): readonly string[] {
  const { scripts } = JSON.parse(readText('package.json')) as { scripts: { start: string } }
  return [process.execPath, ...scripts.start.split(' ').slice(scripts.start.startsWith('exec ') ? 2 : 1)]
}

/** Starts the development server, on a free port unless one is given, and waits until it says that it is listening. */
export async function startServer(
  command: readonly string[],
  home: string,
  port = '0',
  store = '',
): Promise<DevServer> {
  const [program = '', ...args] = command
  const env = {
    ...process.env,
    PORT: port,
    QUITTANCE_HOME: home,
    QUITTANCE_STORE: store,
    QUITTANCE_REDIS: '',
    QUITTANCE_STRICT: '',
  }
  const child = spawn(program, args, {
    cwd: fileURLToPath(root),
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  let said = ''
  await new Promise<void>((resolve, reject) => {
    const hear = (chunk: Buffer) => {
      said += chunk
      if (said.includes('curl http')) resolve()
    }
    child.stdout.on('data', hear)
    child.stderr.on('data', hear)
    child.once('error', reject)
    child.once('close', () => reject(new Error(`The server did not start:\n${said}`)))
  })
  const file = JSON.parse(readFileSync(join(home, 'dev.json'), 'utf8')) as DevFile
  return {
    ...file,
    process: child,
    async stop(signal) {
      if (child.exitCode !== null || child.signalCode !== null) return child.exitCode ?? child.signalCode
      const ended = once(child, 'exit')
      child.kill(signal)
      await ended
      return child.exitCode ?? child.signalCode
    },
    destroy: () => killGroup(child),
  }
}

/** Kills a process that was started detached, and all that it started. */
export function killGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch (fault) {
    // All of it has ended already.
    if (!(fault instanceof Error && 'code' in fault && fault.code === 'ESRCH')) throw fault
  }
}
