import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { root } from './packages.ts'

/** Runs a program to its end and returns what it printed. Its stderr goes to ours; a failure throws. */
export function run(
  command: string,
  args: readonly string[],
  { cwd = fileURLToPath(root) }: { cwd?: string } = {},
): string {
  const { status, stdout, error } = spawnSync(command, args, {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  if (error) throw error
  if (status === 0) return stdout
  console.error(stdout)
  throw new Error(`${command} ${args.join(' ')} ended with ${status}.`)
}
