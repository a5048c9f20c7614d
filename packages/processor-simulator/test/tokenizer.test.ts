import { describe, expect, it } from 'vitest'
import { simulatedTokenizer } from '../src/tokenizer.ts'

const tokenizer = simulatedTokenizer()
const card = (number: string) => tokenizer.card({ number, exp_month: 12, exp_year: 2034, cvc: '123' })
const account = (routing_number: string, account_number: string) =>
  tokenizer.bankAccount({ routing_number, account_number })

describe('the sandbox’s tokenizer', () => {
  it.each([
    ['4242424242424242', 'tok_test_visa'],
    ['378282246310005', 'tok_test_amex'],
    ['4000000000000002', 'tok_test_declined'],
    ['4000000000003238', 'tok_test_refund_refused'],
  ])('makes a token of the test card %s', async (number, token) => {
    expect(await card(number)).toEqual({ kind: 'token', token })
  })

  it('makes a token of a test account', async () => {
    expect(await account('110000000', '000555555559')).toEqual({
      kind: 'token',
      token: 'btok_test_late_return',
    })
  })

  it('refuses every other number with a clear text that does not repeat it', async () => {
    const refused = [
      await card('4111111111111111'),
      await card('000123456789'),
      await account('021000021', '000123456789'),
      await account('110000000', '4242424242424242'),
    ]
    for (const answer of refused) {
      expect(answer).toMatchObject({ kind: 'refused', code: 'test_details_only' })
      expect(JSON.stringify(answer)).toMatch(/use a test (card|account)/)
      for (const number of ['4111111111111111', '021000021'])
        expect(JSON.stringify(answer)).not.toContain(number)
    }
  })
})
