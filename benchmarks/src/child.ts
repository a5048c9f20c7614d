import { fork } from 'node:child_process'

export interface Child<Ready> {
  ready: Ready
  /** Sends a message and waits for the one that answers it. */
  ask<Answer>(message: unknown): Promise<Answer>
  stop(): Promise<void>
}

/**
 * A module of this folder in a process of its own: it sends one message when it is ready, and ends when told to. With
 * no `execArgv` it runs on packages that were built.
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

/** For such a module: ends when it is told to, and when whoever started it is gone. */
export function endWhenTold(): void {
  process.once('SIGTERM', () => process.exit(0))
  process.once('disconnect', () => process.exit(0))
}
