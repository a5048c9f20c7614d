import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

const root = fileURLToPath(new URL('../..', import.meta.url))

/**
 * The tests that run against mutants of the machines, the decisions and the rules of webhooks, in this order, on the memory
 * store only. The first failing test kills a mutant, so tests that read tables and decisions directly come before those of
 * the whole engine, and histories of many seconds are left out.
 */
const include = [
  'tools/mutation/loads.test.ts',
  'packages/core/test/destination.test.ts',
  'packages/webhooks/test/{signature,last-error}.test.ts',
  'packages/core/test/machines/*.test.ts',
  'packages/core/test/back-office/sync-run-machine.test.ts',
  'packages/core/test/idempotency/{keys,replay}.test.ts',
  'packages/core/test/operations/{automatic-pause,payment-outcomes,payment-methods,payments,sessions}.test.ts',
  'packages/core/test/refunds/{outcomes,refunds,idempotency}.test.ts',
  'packages/core/test/invoices/{amounts,invoices,early-payment-discount}.test.ts',
  'packages/core/test/checkout-sessions/{expire,pay}.test.ts',
  'packages/webhooks/test/{responses,pause,retries,endpoint-changes,delivery}.test.ts',
]

const order = include.flatMap((pattern) => globSync(pattern, { cwd: root }).map((file) => join(root, file)))

class InOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return files.toSorted((a, b) => order.indexOf(a.moduleId) - order.indexOf(b.moduleId))
  }
}

/** A mutated copy of the repository has no packages of its own under node_modules: siblings are resolved beside each other. */
const alias = globSync('packages/*/package.json', { cwd: root }).flatMap((file) => {
  const { name, exports = {} } = JSON.parse(readFileSync(join(root, file), 'utf8')) as Manifest
  return Object.entries(exports).map(([subpath, { '@quittance/source': source }]) => ({
    find: new RegExp(`^${join(name, subpath)}$`),
    replacement: join(root, file, '..', source),
  }))
})

interface Manifest {
  name: string
  exports?: Record<string, { '@quittance/source': string }>
}

export default defineConfig({
  resolve: { alias },
  test: { root, include, sequence: { sequencer: InOrder }, testTimeout: 60_000 },
})
