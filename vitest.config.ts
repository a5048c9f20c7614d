import { defineConfig } from 'vitest/config'

const conditions = ['@quittance/source']

/** What the engine is tested on. How rows come and go on each stands in a file of `packages/core/test/stores`. */
const stores = ['memory', 'sqlite', 'postgres']

/** What the engine makes of its rows must come out alike wherever they are kept: these tests run on every store. */
const engine = [
  'packages/core/test/**/*.test.ts',
  'packages/testing/test/{builders,check-invariants}.test.ts',
  'packages/transport-http/test/back-office*.test.ts',
  'packages/transport-http/test/{error-codes,errors-as-stripe,foreign-ids,idempotency,pagination}.test.ts',
  'packages/webhooks/test/{delivery,dispatcher*,endpoint-changes,pause,retries}.test.ts',
]

/** Of those, what opens no store, or one of its own: it runs once, beside the tests in memory. */
const storeless = [
  'packages/core/test/machines/*.test.ts',
  'packages/core/test/back-office/{merge-invoice,sync-run-machine}.test.ts',
  'packages/core/test/{destination,engine-options,memory-store,secrets}.test.ts',
]

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    // What is waited for comes when it comes, also on a machine that has much to do.
    testTimeout: 180_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 20_000 } },
    // Much of a run is waiting for databases, sockets and browsers.
    maxWorkers: '100%',
    projects: [
      ...stores.map((name) => ({
        extends: true as const,
        test: {
          name,
          include: engine,
          exclude: name === 'memory' ? [] : storeless,
          setupFiles: `packages/core/test/stores/${name}.ts`,
          // Found by the tests of the Postgres store too, when they run beside these.
          globalSetup: name === 'postgres' ? 'packages/store-postgres/test/postgres-server.ts' : [],
        },
      })),
      {
        extends: true,
        test: {
          name: 'once',
          include: ['packages/*/test/**/*.test.ts', '{tests,examples/test,proofs/test}/**/*.test.ts'],
          exclude: [...engine, 'tests/realm/**'],
        },
      },
      {
        extends: true,
        // As in Jest: what Node throws is no instance of their `Error`.
        test: { name: 'realm', include: ['tests/realm/*.test.ts'], pool: 'vmThreads' },
      },
    ],
  },
})
