import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

// It said that it cannot read properties of undefined.
it.each(['describeConnector', 'describeProcessor', 'describeQueue', 'describeStore', 'describeTransport'])(
  '%s in another program than vitest says where it runs',
  (suite) => {
    const { VITEST: _, ...env } = process.env
    const program = `import { ${suite} } from '@quittance/testing'\n${suite}('acme', async () => null, {})`
    const args = ['--conditions=@quittance/source', '--input-type=module', '--eval', program]
    const cwd = fileURLToPath(new URL('.', import.meta.url))
    const { stderr } = spawnSync(process.execPath, args, { cwd, env, encoding: 'utf8' })
    expect(stderr).toMatch(
      /^Error: "acme keeps .* is a suite of vitest: run this file with `npx vitest run`\.$/m,
    )
  },
)
