import type { FieldsChange } from '../protocol.ts'
import { appearanceOf } from './appearance.ts'
import { type ElementText, element_texts, localeOf } from './element-texts.ts'
import { ElementsError } from './elements-error.ts'
import { FrameLink, type Listener } from './frame-link.ts'
import { pressEnd } from './press.ts'

/** The element around a frame, and what only the element itself can do. */
export interface Host {
  element: HTMLElement & { disabled: boolean }
  shadow: ShadowRoot
  internals: ElementInternals
  /** Names the fields for a screen reader. */
  label: ElementText
  /** Called when what was typed has changed, or is gone with its frame. */
  forget(): void
  /** Called when Enter was pressed in a field. */
  submit(): void
}

/** An element's frame: loads it, keeps its look that of the page, and tells the page what it may know. */
export class FrameHolder {
  readonly #host: Host
  /** Shown in place of fields that could not be loaded. */
  readonly #failure = document.createElement('p')
  #frame: HTMLIFrameElement | null = null
  #link: FrameLink | null = null
  #complete = false
  /** The last state that the page was told. */
  #told = nothing
  /** A caller waits for a token, and will report why there is none. */
  #asked = false

  constructor(host: Host) {
    this.#host = host
    this.#failure.className = 'error'
    this.#failure.role = 'alert'
    host.shadow.prepend(this.#failure)
  }

  /** Whether the payer was told that the fields could not be loaded. */
  get failed(): boolean {
    return this.#failure.textContent !== ''
  }

  /** Whether every field is right. */
  get complete(): boolean {
    return this.#complete
  }

  async tokenize(known: string | null): Promise<string> {
    if (!this.#link) throw this.unavailable()
    this.#asked = true
    return this.#link.tokenize(known).finally(() => {
      this.#asked = false
    })
  }

  /** Focuses the first field that is wrong or empty, else the first. */
  focus(): void {
    this.#frame?.focus()
    this.#link?.send({ type: 'focus' })
  }

  clear(): void {
    this.#link?.send({ type: 'clear' })
  }

  /** Shows below the fields why they were refused. */
  refuse(message: string): void {
    this.#link?.send({ type: 'refuse', message })
  }

  text(text: ElementText): string {
    return element_texts[localeOf(this.#host.element)][text]
  }

  unavailable(): ElementsError {
    return new ElementsError({ code: 'unavailable', field: null, message: this.text('unavailable') })
  }

  tell(error: ElementsError): ElementsError {
    const { code, field, message } = error
    this.#host.element.dispatchEvent(new CustomEvent('error', { detail: { code, field, message } }))
    return error
  }

  /** Sends the frame the present language and colors. */
  readonly configure = (): void => {
    if (this.#frame) this.#frame.title = this.text(this.#host.label)
    this.#link?.configure(appearanceOf(this.#host.element))
  }

  load(): void {
    this.unload()
    const { element } = this.#host
    const address = element.getAttribute('frame') ?? ''
    const url = URL.canParse(address, document.baseURI) ? new URL(address, document.baseURI) : null
    // On this page's own origin a frame would be open to the page.
    if (url === null || !/^https?:$/.test(url.protocol) || url.origin === location.origin) {
      console.error(`<${element.localName}> needs a frame on another origin, not "${address}".`)
      return
    }
    const frame = document.createElement('iframe')
    frame.part.add('frame')
    frame.referrerPolicy = 'no-referrer'
    frame.style.height = `${first_height}px`
    this.#frame = frame
    const options = { url, appearance: appearanceOf(element), unavailable: () => this.unavailable() }
    this.#link = new FrameLink(frame, { ...options, listener: this.#listener(frame) })
    // Inserted only with its address: an empty frame may fire `load`, too.
    this.#failure.after(frame)
    this.configure()
    dark.addEventListener('change', this.configure)
  }

  unload(): void {
    dark.removeEventListener('change', this.configure)
    this.#link?.close()
    this.#link = null
    this.#frame?.remove()
    this.#frame = null
    this.#complete = false
    this.#failure.textContent = ''
    this.#host.internals.states.clear()
    this.#host.forget()
  }

  #listener(frame: HTMLIFrameElement): Listener {
    return {
      loaded: () => {
        this.#host.forget()
        if (this.#told !== nothing) this.#changed(nothing)
      },
      ready: () => {
        this.#failure.textContent = ''
        this.#mark('ready', true)
        this.#host.element.dispatchEvent(new CustomEvent('ready'))
      },
      edited: () => this.#host.forget(),
      change: (change) => this.#changed(change),
      height: async (height) => {
        await pressEnd()
        if (height > 0) frame.style.height = `${Math.min(height, tallest)}px`
      },
      focus: (focused) => this.#mark('focused', focused),
      submit: () => this.#host.submit(),
      unavailable: () => {
        const error = this.unavailable()
        this.#failure.lang = localeOf(this.#host.element)
        this.#failure.textContent = error.message
        if (!this.#asked) this.tell(error)
      },
    }
  }

  #changed(change: FieldsChange): void {
    this.#complete = change.complete
    this.#told = change
    this.#mark('complete', change.complete)
    this.#mark('invalid', change.error !== null)
    this.#host.element.dispatchEvent(new CustomEvent('change', { detail: change, bubbles: true }))
  }

  #mark(state: string, on: boolean): void {
    const { states } = this.#host.internals
    if (on) states.add(state)
    else states.delete(state)
  }
}

/** The state of the fields of a new page. */
const nothing: FieldsChange = { complete: false, empty: true, brand: null, error: null }

/** The height of a frame before it reports its own, in CSS pixels: with the default theme, nothing moves when it does. */
const first_height = 164

/**
 * The most that a frame may claim, in CSS pixels, so that it cannot cover the page around. On the narrowest phone, with
 * every mistake shown in text of two and a half times the size, ours is 2000 high.
 */
const tallest = 2_500

const dark = matchMedia('(prefers-color-scheme: dark)')
