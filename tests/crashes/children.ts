import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import type { Jobs, RunJob } from './jobs.ts'

/** Processes of their own, for one job each. */
export interface Children {
  answerOf<Name extends keyof Jobs>(name: Name, job: Jobs[Name]['job']): Promise<Jobs[Name]['answer']>
  /** The moment at which a process has killed itself. */
  lastWords(job: RunJob): Promise<string>
  close(): void
}

/** Compiles their program: a process that dies after three calls is then three times as fast. */
export async function openChildren(): Promise<Children> {
  mkdirSync(caches, { recursive: true })
  const dir = mkdtempSync(join(caches, 'crashes-'))
  const compiled = await compile(dir)
  const start = (name: keyof Jobs, job: object) =>
    run([compiled, name, JSON.stringify(job)], join(dir, 'node'))
  return {
    async answerOf(name, job) {
      const { output, signal, code, errors } = await start(name, job)
      if (code !== 0) throw new Error(`${name} ended with ${code ?? signal}: ${errors}`)
      return JSON.parse(output)
    },
    async lastWords(job) {
      const { output, signal, code, errors } = await start('run', job)
      if (signal !== 'SIGKILL') throw new Error(`it ended with ${code ?? signal}, unkilled: ${errors}`)
      return output
    },
    close: () => rmSync(dir, { recursive: true, force: true }),
  }
}

/** From where the packages are found that are left out. */
const caches = fileURLToPath(new URL('../../node_modules/.cache/', import.meta.url))

async function compile(dir: string): Promise<string> {
  const bundle = await rolldown({
    input: fileURLToPath(new URL('process.ts', import.meta.url)),
    platform: 'node',
    external: ['better-sqlite3', 'pg', 'undici'],
    resolve: { conditionNames: ['@quittance/source', 'import', 'node', 'default'] },
    logLevel: 'warn',
  })
  await bundle.write({ dir, entryFileNames: '[name].mjs', chunkFileNames: '[name].mjs' })
  await bundle.close()
  return join(dir, 'process.mjs')
}

async function run(args: readonly string[], NODE_COMPILE_CACHE: string) {
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NODE_COMPILE_CACHE },
  })
  const ended = new Promise<{ code: number | null; signal: string | null }>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code, signal) => resolve({ code, signal }))
  })
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)])
  return { output, errors, ...(await ended) }
}
