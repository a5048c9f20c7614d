import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { behaviours } from '../src/simulation/receivers.ts'

interface CorpusEntry {
  id: string
  expect: { delivery: string; last_response_status?: number | null; last_error?: string | null }
}

const corpus: CorpusEntry[] = JSON.parse(
  readFileSync(new URL('../corpora/receivers.json', import.meta.url), 'utf8'),
)

it('has a receiver for every behaviour of the corpus, and no other', () => {
  expect(Object.keys(behaviours).sort()).toEqual(corpus.map(({ id }) => id).sort())
})

it.each(corpus)('comes of $id what the corpus says', ({ id, expect: expected }) => {
  const { response_status, error } = behaviours[id] ?? {}
  expect(expected.delivery.split('|')).toContain(error === null ? 'succeeded' : 'pending')
  if (expected.last_response_status !== undefined) expect(response_status).toBe(expected.last_response_status)
  const said = expected.last_error
  // A star stands for any text that is short and says nothing secret.
  if (typeof said === 'string' && !said.startsWith('*')) expect(said.split('|')).toContain(error)
})
