import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import type { Jobs, RunJob } from './jobs.ts'
import { crashProgram } from './program.ts'

/** Gives a job to a process of its own, and gives back its answer. */
export async function answerOf<Name extends keyof Jobs>(
  name: Name,
  job: Jobs[Name]['job'],
): Promise<Jobs[Name]['answer']> {
  const { output, signal, code, errors } = await childWith(name, job)
  if (code !== 0) throw new Error(`${name} ended with ${code ?? signal}: ${errors}`)
  return JSON.parse(output) as Jobs[Name]['answer']
}

/** The moment at which it killed itself, in its last words. */
export async function lastWords(job: RunJob): Promise<string> {
  const { output, signal, code, errors } = await childWith('run', job)
  if (signal !== 'SIGKILL') throw new Error(`it ended with ${code ?? signal} and was not killed: ${errors}`)
  return output
}

async function childWith<Name extends keyof Jobs>(name: Name, job: Jobs[Name]['job']) {
  const { source, compiled, cache } = await crashProgram()
  const program = name === 'prepare' ? source : compiled
  const child = spawn(
    process.execPath,
    ['--conditions=@quittance/source', program, name, JSON.stringify(job)],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, NODE_COMPILE_CACHE: cache },
    },
  )
  const ended = new Promise<{ code: number | null; signal: string | null }>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code, signal) => resolve({ code, signal }))
  })
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)])
  return { output, errors, ...(await ended) }
}
