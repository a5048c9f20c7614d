import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { root } from '../tools/packages.ts'
import { bareStart } from './server/dev-server.ts'

// It said that `Promise.withResolvers` is no function.
it.each(['dev', 'doctor'])('quittance %s says which Node it needs', (command) => {
  const [program = '', ...args] = bareStart()
  const as_on_node_20 = ['--import', 'data:text/javascript,delete Promise.withResolvers']
  const { stderr, status } = spawnSync(program, [...as_on_node_20, ...args.slice(0, -1), command], {
    cwd: fileURLToPath(root),
    encoding: 'utf8',
  })
  expect(stderr).toBe('Quittance needs Node 22.12 or newer.\n')
  expect(status).toBe(2)
})
