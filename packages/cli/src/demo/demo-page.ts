import { createHash } from 'node:crypto'
import { elementsScript } from '@quittance/pages'
import { book } from './demo-shop.ts'

/** The merchant's page: all that a shop has to write to take a card or a bank account on its own page. */
export function demoPage(method: DemoMethod, { frames }: { frames: string }): string {
  const { path, integrity } = elementsScript
  const { element, frame, other } = methods[method]
  const scripts = `<script type="module" src="/checkout${path}" integrity="${integrity}" crossorigin></script>
<script type="module" src="/demo/shop.js"></script>`
  const content = `<p>${book.title}, hardcover: <strong>${book.price}</strong></p>
<form data-method="${method}">
<${element} frame="${frames}/${frame}" api="/v1"></${element}>
<label for="name">Name</label>
<input id="name" required maxlength="500" autocomplete="${method === 'card' ? 'cc-name' : 'name'}" value="Ada Lovelace">
<label for="postal_code">Postal code</label>
<input id="postal_code" required maxlength="20" autocomplete="billing postal-code" value="02139">
<button>Pay ${book.price}</button>
<p role="status"></p>
</form>
<p class="quiet">A page of a merchant's own with Elements on it. Test cards only, such as 4242 4242 4242 4242, any date to
come and any code; test account 000123456789 at 110000000. <a href="${other.href}">${other.text}</a></p>`
  return shopPage('pay for your order', scripts, content)
}

/** Where the checkout page sends a payer on to. */
export function thanksPage(): string {
  const content = `<p role="status">Thank you. ${book.title} is on its way.</p>
<p><a href="/demo">Buy another one</a></p>`
  return shopPage('thank you', '', content)
}

function shopPage(title: string, scripts: string, content: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Lantern Books: ${title}</title>
<link rel="icon" href="data:,">
<style>${style}</style>
${scripts}
</head>
<body>
<main>
<h1>Lantern Books</h1>
${content}
</main>
</body>
</html>
`
}

type DemoMethod = keyof typeof methods

const methods = {
  card: {
    element: 'quittance-card',
    frame: 'card',
    other: { href: '/demo?method=us_bank_account', text: 'Pay from a bank account instead' },
  },
  us_bank_account: {
    element: 'quittance-bank-account',
    frame: 'bank-account',
    other: { href: '/demo', text: 'Pay by card instead' },
  },
} as const

/**
 * `/demo/shop.js`: runs in the payer's browser. It has a session created, confirms it, and has the shop charge it. A session
 * is good for one charge: after a declined charge, the next try gets a new session.
 */
export const demo_script = `
const form = document.querySelector('form')
const element = form.querySelector('quittance-card, quittance-bank-account')
const said = form.querySelector('[role=status]')
const button = form.querySelector('button')

let session
// The session whose charge nobody has answered yet: asked for again, it is the same payment.
let charging
await begin()

form.addEventListener('submit', async (event) => {
  event.preventDefault()
  button.disabled = true
  said.textContent = 'One moment.'
  try {
    charging ??= await element.confirm({
      publishableKey: session.publishable_key,
      clientSecret: session.client_secret,
      billingDetails: { name: form.elements.name.value, postal_code: form.elements.postal_code.value },
    })
    const { status } = await ask('/demo/pay', { session: charging.id })
    said.textContent = 'Payment ' + status + '.'
  } catch (error) {
    // An element has said at its fields what it refuses.
    said.textContent = error.name === 'QuittanceError' ? '' : error.message
    if (error.status === 402 || error.code === 'payment_method_session_inactive') await begin().catch(() => {})
    button.disabled = false
  }
})

async function begin() {
  charging = null
  session = await ask('/demo/session', { method: form.dataset.method })
  if (session.authorization) element.authorization = session.authorization
}

async function ask(path, body) {
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(path, { method: 'POST', headers, body: JSON.stringify(body) })
  const answer = await response.json()
  if (!response.ok) throw Object.assign(new Error(answer.error.message), answer.error, { status: response.status })
  return answer
}
`.trimStart()

const style = `
:root{color-scheme:light dark;--quittance-color-accent:light-dark(#7a3e00,#f0b27a)}
body{margin:0;font:1rem/1.5 Georgia,serif}
main{max-width:28rem;margin:0 auto;padding:1.5rem}
label{display:block;margin:1rem 0 .25rem;font-weight:600}
input{box-sizing:border-box;width:100%;min-height:2.75em;padding:.5rem .75rem;border:1px solid light-dark(#7d858f,#79818c);border-radius:.5rem;font:inherit}
button{width:100%;min-height:3rem;margin:1.25rem 0 0;border:0;border-radius:.5rem;background:light-dark(#7a3e00,#f0b27a);color:light-dark(#fff,#241200);font:inherit;font-weight:600}
button:disabled{opacity:.6}
.quiet{color:light-dark(#555c66,#a9b1bb);font-size:.9375rem}
a{color:inherit}
`

export const demo_style_source = `'sha256-${createHash('sha256').update(style).digest('base64')}'`
