import { fork } from 'node:child_process'

/** A module of this folder in a process of its own: it sends one message when it is ready, and ends when told to. */
export async function startChild<Ready>(module: string, args: readonly string[]) {
  const child = fork(new URL(module, import.meta.url), args, { execArgv: process.execArgv })
  const ready = await new Promise<Ready>((resolve, reject) => {
    child.once('message', (message) => resolve(message as Ready))
    child.once('exit', (code) => reject(new Error(`${module} ended with ${code}`)))
  })
  return {
    ready,
    async stop(): Promise<void> {
      const ended = new Promise((resolve) => child.once('exit', resolve))
      child.kill('SIGTERM')
      await ended
    },
  }
}
