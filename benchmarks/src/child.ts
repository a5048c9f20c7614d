import { fork } from 'node:child_process'

export interface Child<Ready> {
  ready: Ready
  /** Sends a message and resolves to the answer. */
  ask<Answer>(message: unknown): Promise<Answer>
  stop(): Promise<void>
}

/**
 * A module of this folder in a child process: it sends one message when it is ready, and exits when told to. Without
 * `execArgv` it runs on built packages.
 */
export async function startChild<Ready>(
  module: string,
  args: readonly string[],
  { execArgv = process.execArgv }: { execArgv?: string[] } = {},
): Promise<Child<Ready>> {
  const child = fork(new URL(module, import.meta.url), args, { execArgv })
  const next = <Message>() =>
    new Promise<Message>((resolve, reject) => {
      const ended = (code: number | null) =>
        reject(new Error(`${module} ${args.join(' ')} ended with ${code}`))
      child.once('exit', ended)
      child.once('message', (message) => {
        child.removeListener('exit', ended)
        resolve(message as Message)
      })
    })
  return {
    ready: await next<Ready>(),
    ask<Answer>(message: unknown) {
      const answer = next<Answer>()
      child.send(message as string)
      return answer
    },
    async stop() {
      const ended = new Promise((resolve) => child.once('exit', resolve))
      child.kill('SIGTERM')
      await ended
    },
  }
}

/** For such a module: exits when told to, or when its parent is gone. */
export function endWhenTold(): void {
  process.once('SIGTERM', () => process.exit(0))
  process.once('disconnect', () => process.exit(0))
}
