import type { Tokenized, Tokenizer } from '@quittance/core'
import { test_routing_number, tokenFor } from './test-tokens.ts'

/** The sandbox's tokenizer: knows the test numbers and refuses every other, so that nobody tries a real card on it. */
export function simulatedTokenizer(): Tokenizer {
  return {
    async card({ number }) {
      return tokenized(
        tokenFor({ number }),
        'This is a sandbox: use a test card, such as 4242 4242 4242 4242.',
      )
    },
    async bankAccount({ routing_number, account_number }) {
      return tokenized(
        tokenFor({ routing_number, account_number }),
        `This is a sandbox: use a test account, such as 000123456789 with the routing number ${test_routing_number}.`,
      )
    },
  }
}

function tokenized(token: string | null, message: string): Tokenized {
  return token === null ? { kind: 'refused', code: 'test_details_only', message } : { kind: 'token', token }
}
