import type { Frame, Page } from 'playwright-core'
import { describe, expect, it, onTestFinished } from 'vitest'
import { browserForFile } from '../browser.ts'
import { listen } from '../listen.ts'
import { call, fieldsOf, merchantPage, openPage, openShop, type Shop, serve } from './shop.ts'

const browser = browserForFile()

/** Another origin that answers every request with this page. */
async function openSite(html: string): Promise<string> {
  const { server, origin } = await listen()
  serve(server, async () => ({ status: 200, headers: { 'content-type': 'text/html' }, body: html }))
  return origin
}

async function visit(url: string): Promise<{ page: Page; console: string[] }> {
  const page = await browser().newPage()
  onTestFinished(() => page.close())
  const console: string[] = []
  page.on('console', (message) => console.push(message.text()))
  await page.goto(url)
  return { page, console }
}

const holding = (frame: string) => `<!doctype html><title>Somebody</title><iframe src="${frame}"></iframe>`

/** Says to a window what an element says to its frame; the frame has heard it when this is over. */
async function open(from: Page, window: string, { frame, locale }: { frame: Frame; locale: string }) {
  await frame.evaluate(`window.heard = 0; addEventListener('message', () => { window.heard += 1 })`)
  const appearance = JSON.stringify({ locale, theme: {}, color_scheme: 'light', disabled: false })
  await from.evaluate(`window.channel = new MessageChannel()
    ${window}.postMessage({ type: 'quittance:open', version: 1, ...${appearance} }, '*', [channel.port2])`)
  await expect.poll(() => frame.evaluate('window.heard')).toBeGreaterThan(0)
}

async function frameIn(page: Page): Promise<Frame> {
  const frame = page.frames()[1]
  if (frame === undefined) throw new Error('The page holds no frame.')
  await frame.waitForLoadState()
  return frame
}

const isOpen = (frame: Frame) => frame.evaluate(`!document.getElementById('fields').hidden`)

describe('an element is closed to the page around it', () => {
  it('which finds neither its shadow nor its frame nor its line', async () => {
    const shop = await openShop()
    const { page } = await openPage(browser(), shop, shop.bankElement())
    const found = `(() => {
      const element = document.querySelector('quittance-bank-account')
      const inside = (value) => [ShadowRoot, HTMLIFrameElement, MessagePort, ElementInternals].some((kind) => value instanceof kind)
      const names = []
      for (let held = element; held !== HTMLElement.prototype; held = Object.getPrototypeOf(held))
        names.push(...Object.getOwnPropertyNames(held))
      return {
        shadow: element.shadowRoot,
        frames: [window.length, document.querySelectorAll('iframe').length],
        at_a_field: document.elementFromPoint(60, 130).localName,
        inside: names.filter((name) => inside(element[name])),
      }
    })()`
    expect(await page.evaluate(found)).toEqual({
      shadow: null,
      frames: [0, 0],
      at_a_field: 'quittance-bank-account',
      inside: [],
    })
  })

  it('and shows no frame of the page’s own origin, which would be open to it', async () => {
    const shop = await openShop()
    shop.put(merchantPage('<quittance-card frame="/card"></quittance-card>'))
    const { page, console } = await visit(shop.origin)
    expect(page.frames()).toHaveLength(1)
    expect(console).toEqual(['<quittance-card> needs a frame on another origin, not "/card".'])
  })
})

describe('a frame', () => {
  it('is shown by browsers in pages of the configured origins only', async () => {
    const shop = await openShop()
    const { page, console } = await visit(await openSite(holding(`${shop.frames}/card`)))
    await expect.poll(() => console.join()).toContain('frame-ancestors')
    expect(await page.frames()[1]?.evaluate(`document.getElementById('fields')`)).toBeNull()
  })

  it('itself opens to the configured origins only, should a browser show it in others', async () => {
    const site = await openSite('<!doctype html><title>Somebody</title>')
    for (const [parents, opens] of [
      [[site], true],
      [[], false],
    ] as const) {
      const shop = await openShop({ parents: [...parents] })
      // The page as it is served, without the policy that browsers hold it to.
      const frame_site = await openSite(await (await fetch(`${shop.frames}/card`)).text())
      const { page } = await visit(site)
      await page.setContent(holding(frame_site))
      const frame = await frameIn(page)
      await open(page, 'window[0]', { frame, locale: 'fr' })
      expect(await isOpen(frame)).toBe(opens)
    }
  })

  it('opens once, and never to itself', async () => {
    const shop = await openShop()
    const { page } = await visit(`${shop.frames}/card`)
    await open(page, 'window', { frame: page.mainFrame(), locale: 'fr' })
    expect(await isOpen(page.mainFrame())).toBe(false)

    const site = await openSite('<!doctype html><title>Somebody</title>')
    const parent = await visit(site)
    await parent.page.setContent(holding(`${(await openShop({ parents: [site] })).frames}/card`))
    const frame = await frameIn(parent.page)
    await open(parent.page, 'window[0]', { frame, locale: 'fr' })
    await open(parent.page, 'window[0]', { frame, locale: 'es' })
    expect(await frame.evaluate('document.documentElement.lang')).toBe('fr')
  })

  it('that loads again is opened again, and an element that is moved brings its fields along', async () => {
    const shop = await openShop()
    const { page } = await openPage(browser(), shop, `${shop.cardElement()}<aside></aside>`)
    const first = await fieldsOf(page)
    await first.evaluate('location.reload()')
    await expect.poll(async () => isOpen(await fieldsOf(page))).toBe(true)
    await page.evaluate(`document.querySelector('aside').append(document.querySelector('quittance-card'))`)
    await expect.poll(async () => isOpen(await fieldsOf(page))).toBe(true)
    expect((await call(page, 'tokenize')).refused?.code).toBe('number_incomplete')
  })
})

describe('an element whose frame does not come', () => {
  it('says nothing to a page of another origin that comes in its place', async () => {
    const stranger = await openSite(
      '<!doctype html><script>window.heard = []; onmessage = ({ data }) => window.heard.push(data)</script>',
    )
    const { server, origin } = await listen()
    serve(server, async () => ({ status: 302, headers: { location: stranger }, body: '' }))
    const shop = await openShop({ other_frames: [origin, stranger] })
    shop.put(merchantPage(`<quittance-card frame="${origin}/card"></quittance-card>`))
    const { page, console } = await visit(shop.origin)
    const frame = await frameIn(page)
    // The browser says that it has kept the message to itself.
    await expect.poll(() => console.join()).toContain(`target origin provided ('${origin}') does not match`)
    expect(await frame.evaluate('window.heard')).toEqual([])
  })

  it('gives up what it asked of a page that is gone', async () => {
    const shop = await openShop()
    const { page, fields } = await openPage(browser(), shop, shop.cardElement())
    const { promise: asked, resolve } = Promise.withResolvers<void>()
    await page.route('**/tokens', () => resolve())
    await fields.getByLabel('Card number').fill('4242 4242 4242 4242')
    await fields.getByLabel('Expiry date').fill('12/34')
    await fields.getByLabel('Security code').fill('123')
    const asking = call(page, 'tokenize')
    await asked
    await fields.evaluate('location.reload()')
    expect((await asking).refused?.code).toBe('unavailable')
  })

  it('gives up at once where it is removed while it is asked, and can be asked again', async () => {
    const shop = await openShop()
    const { page } = await openPage(browser(), shop, shop.cardElement())
    const told = await page.evaluate(`(() => {
      const card = document.querySelector('quittance-card')
      const told = card.tokenize().catch(({ code }) => code)
      card.remove()
      document.body.append(card)
      return told
    })()`)
    expect(told).toBe('unavailable')
    expect((await call(page, 'tokenize')).refused?.code).toBe('number_incomplete')
  })

  it('says so once, in its place, and takes it back once the fields are there', async () => {
    const shop = await openShop()
    const { page, told } = await visitWaiting(shop)
    await page.route('**/card', (route) => route.abort('connectionrefused'))
    await page.goto(shop.origin)
    const asking = call(page, 'tokenize')
    await page.clock.fastForward(5_000)
    expect((await asking).refused).toMatchObject({ code: 'unavailable' })
    expect(await told()).toEqual([expect.stringContaining('The fields could not be loaded.')])
    const said = () => readOut(page).then((all) => all.some((text) => text.startsWith('The fields could')))
    await expect.poll(said).toBe(true)
    await page.unroute('**/card')
    await page.evaluate("window.card = document.querySelector('quittance-card'); window.card.remove()")
    await expect.poll(() => page.frames()).toHaveLength(1)
    await page.evaluate("document.querySelector('main').append(window.card)")
    await fieldsOf(page)
    await expect.poll(said).toBe(false)
  })

  it('is asked for again where the page sets its address again, as it was', async () => {
    const shop = await openShop()
    const { page } = await visitWaiting(shop)
    await page.route('**/card', (route) => route.abort('connectionrefused'))
    await page.goto(shop.origin)
    const asking = call(page, 'tokenize')
    await page.clock.fastForward(5_000)
    expect((await asking).refused).toMatchObject({ code: 'unavailable' })
    await page.unroute('**/card')
    await page.evaluate(`((card) => card.setAttribute('frame', card.getAttribute('frame')))(
      document.querySelector('quittance-card'))`)
    await expect.poll(async () => isOpen(await fieldsOf(page))).toBe(true)
  })

  it('says so after half a minute of loading, and gives tokens once the fields are there', async () => {
    const shop = await openShop()
    const { page, told } = await visitWaiting(shop)
    const { promise: comes, resolve: come } = Promise.withResolvers<void>()
    await page.route('**/card', (route) => comes.then(() => route.continue()))
    await page.goto(shop.origin, { waitUntil: 'commit' })
    await expect.poll(() => page.frames()).toHaveLength(2)
    await page.clock.fastForward(29_000)
    expect(await told()).toEqual([])
    await page.clock.fastForward(2_000)
    expect(await told()).toHaveLength(1)
    come()
    await fieldsOf(page)
    expect((await call(page, 'tokenize')).refused).toMatchObject({ code: 'number_incomplete' })
  })
})

/** A page whose time stands still, with what its element tells of errors. */
async function visitWaiting(shop: Shop) {
  const page = await browser().newPage()
  onTestFinished(() => page.close())
  await page.clock.install({ time: 0 })
  await page.clock.pauseAt(1_000)
  shop.put(
    merchantPage(`${shop.cardElement()}<script>window.told = []
addEventListener('error', ({ detail }) => window.told.push(detail.message), true)</script>`),
  )
  return { page, told: () => page.evaluate('window.told') }
}

/** What a screen reader comes to in the page: the one way to look into a closed shadow. */
async function readOut(page: Page): Promise<string[]> {
  const devtools = await page.context().newCDPSession(page)
  const { nodes } = await devtools.send('Accessibility.getFullAXTree')
  return nodes.map(({ name }) => String(name?.value ?? ''))
}
