import { defineConfig } from 'vitest/config'

const conditions = ['@quittance/source']

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: [
      'packages/*/test/**/*.test.ts',
      'tests/**/*.test.ts',
      'examples/test/**/*.test.ts',
      'proofs/test/**/*.test.ts',
    ],
    testTimeout: 60_000,
  },
})
