import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { readText, root } from '../tools/packages.ts'
import { bareStart } from './server/dev-server.ts'

function quittance(...args: string[]) {
  const [program = '', ...start] = bareStart()
  return spawnSync(program, [...start.slice(0, -1), ...args], { cwd: fileURLToPath(root), encoding: 'utf8' })
}

it.each([['--help'], ['help'], ['doctor', '--help'], ['dev', '-h']])(
  'quittance %s %s says how',
  (...args) => {
    const { stdout, stderr, status } = quittance(...args)
    expect(stdout).toMatch(/^usage: quittance dev \| doctor/)
    expect([stderr, status]).toEqual(['', 0])
  },
)

it('quittance --version says which it is', () => {
  const { version } = JSON.parse(readText('packages/cli/package.json')) as { version: string }
  expect(quittance('--version')).toMatchObject({ stdout: `${version}\n`, status: 0 })
})

it.each([
  [[], 'usage: quittance'],
  [['devv'], 'There is no command devv.\n\nusage: quittance'],
  [['toString'], 'There is no command toString.'],
  // It listened on 4242.
  [['dev', '--port', '3000'], 'quittance dev takes no --port: its settings are in the environment.'],
])('quittance %j is refused', (args, why) => {
  const { stdout, stderr, status } = quittance(...args)
  expect(stderr.slice(0, why.length)).toBe(why)
  expect([stdout, status]).toEqual(['', 2])
})
