import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sqliteStore } from '@quittance/store-sqlite'
import { describe, expect, it, onTestFinished } from 'vitest'
import { browserForFile } from '../browser.ts'
import { call, openPage, openShop, type Shop } from './shop.ts'

const browser = browserForFile()

const card = { number: '378282246310005', cvc: '7391' }
const account = { routing_number: '110000000', account_number: '000555555559' }

/** As typed, as grouped, as a part: whatever follows of it that is no token and no last four. */
const secrets = [card.number, '3782 822463 10005', '822463', card.cvc, account.account_number, '55555555']

/** Alone, not as a part of a longer run: an id or a port may hold the same digits. */
const holds = (text: string, secret: string) =>
  new RegExp(`(?<![0-9A-Za-z])${secret}(?![0-9A-Za-z])`).test(text)

async function openShopOnDisk(): Promise<{ shop: Shop; database: () => string }> {
  const folder = mkdtempSync(join(tmpdir(), 'quittance-card-data-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const filename = join(folder, 'shop.db')
  const store = sqliteStore({ filename })
  onTestFinished(() => store.close())
  const shop = await openShop({ store })
  const files = () => [filename, `${filename}-wal`].map((file) => readFileSync(file, 'latin1'))
  return { shop, database: () => files().join('\n') }
}

/** All that the merchant's page holds that a script of its own can read. */
const readable = `JSON.stringify({
  markup: document.documentElement.outerHTML,
  told: window.told,
  stored: [{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href, history.state],
})`

const listening = `<script>window.told = []
for (const type of ['ready', 'change', 'error', 'input', 'keydown', 'message'])
  addEventListener(type, (event) => window.told.push([type, event.detail, event.data, event.key]), true)
</script>`

describe('what is typed into a frame', () => {
  it('is in no request to the API or the page, no log line, and nowhere in the database', async () => {
    const { shop, database } = await openShopOnDisk()
    const bank = await shop.session({ payment_method_types: ['us_bank_account'], amount: 4_200 })
    const attribute = `authorization="${JSON.stringify(bank.ach_authorization).replaceAll('"', '&quot;')}"`

    const first = await openPage(browser(), shop, shop.cardElement() + listening)
    await first.fields.getByLabel('Card number').pressSequentially(card.number)
    await first.fields.getByLabel('Expiry date').pressSequentially('1234')
    await first.fields.getByLabel('Security code').pressSequentially(card.cvc)
    const session = await shop.session()
    expect((await call(first.page, 'confirm', session.confirm)).refused).toBeNull()
    const second = await openPage(browser(), shop, shop.bankElement(attribute) + listening)
    await second.fields.getByLabel('Routing number').pressSequentially(account.routing_number)
    await second.fields.getByLabel('Account number').pressSequentially(account.account_number)
    await call(second.page, 'tokenize')
    await expect
      .poll(() => second.page.evaluate('document.activeElement.localName'))
      .toBe('quittance-bank-account')
    await second.page.keyboard.press('Space')
    expect((await call(second.page, 'confirm', bank.confirm)).refused).toBeNull()
    await charge(shop, session.id, bank.id)

    const read: Record<string, string> = {
      'the requests to the API and the page': JSON.stringify(shop.seen),
      'the log': shop.logged.join('\n'),
      'the database': database(),
      'the card’s page': await first.page.evaluate(readable),
      'the account’s page': await second.page.evaluate(readable),
      'the browser’s console': [...first.console, ...second.console].join('\n'),
    }
    for (const secret of secrets) {
      for (const [what, text] of Object.entries(read))
        expect({ what, secret, holds: holds(text, secret) }).toEqual({ what, secret, holds: false })
    }
    // They were read whole: what may be there, is; and the tokenizer alone has heard the rest.
    for (const token of ['tok_test_amex', 'btok_test_late_return']) {
      expect(read['the requests to the API and the page']).toContain(token)
      expect(read['the database']).toContain(token)
    }
    const heard = JSON.stringify(shop.tokenized)
    for (const typed of [card.number, card.cvc, account.account_number]) expect(heard).toContain(typed)
  })
})

async function charge({ engine, caller }: Shop, ...sessions: string[]): Promise<void> {
  for (const payment_method_session of sessions) {
    const input = { amount: 4_200, currency: 'USD', payment_method_session } as const
    const key = { idempotency_key: payment_method_session }
    ;(await engine.payments.create(caller, input, key))._unsafeUnwrap()
  }
}
