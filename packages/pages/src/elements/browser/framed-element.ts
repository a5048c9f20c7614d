import type { FieldsChange } from '../protocol.ts'
import { appearanceOf } from './appearance.ts'
import { element_style } from './element-style.ts'
import { type ElementText, element_texts, localeOf } from './element-texts.ts'
import { ElementsError } from './elements-error.ts'
import { FrameLink, type Listener } from './frame-link.ts'

/** A custom element around a frame from another origin: loads it, keeps it in the look of the page, tells of it. */
export abstract class FramedElement extends HTMLElement {
  static readonly observedAttributes: readonly string[] = ['frame', 'locale', 'disabled', 'class', 'style']

  /** What the fields are, for a screen reader. */
  protected abstract readonly label: ElementText
  /** How high the frame is before it says so, in CSS pixels: with the default theme nothing moves then. */
  protected abstract readonly first_height: number
  protected readonly shadow = this.attachShadow({ mode: 'closed' })
  protected readonly internals = this.attachInternals()
  protected link: FrameLink | null = null
  protected complete = false
  #frame: HTMLIFrameElement | null = null
  #placed = false
  #disabled_by_form = false

  constructor() {
    super()
    const sheet = new CSSStyleSheet()
    sheet.replaceSync(element_style)
    this.shadow.adoptedStyleSheets = [sheet]
  }

  /** What was typed is another, or is gone with its frame. */
  protected abstract forget(): void
  /** Enter was pressed in a field. */
  protected abstract submit(): void

  get disabled(): boolean {
    return this.hasAttribute('disabled') || this.#disabled_by_form
  }

  set disabled(disabled: boolean) {
    this.toggleAttribute('disabled', disabled)
  }

  /** Into the first field that is wrong or empty, else the first. */
  override focus(): void {
    this.#frame?.focus()
    this.link?.send({ type: 'focus' })
  }

  clear(): void {
    this.forget()
    this.link?.send({ type: 'clear' })
  }

  protected text(text: ElementText): string {
    return element_texts[localeOf(this)][text]
  }

  protected unavailable(): ElementsError {
    return new ElementsError({ code: 'unavailable', field: null, message: this.text('unavailable') })
  }

  protected tell(error: ElementsError): ElementsError {
    const { code, field, message } = error
    this.dispatchEvent(new CustomEvent('error', { detail: { code, field, message } }))
    return error
  }

  /** Again in the language and the colors of the moment. */
  protected configure(): void {
    if (this.#frame) this.#frame.title = this.text(this.label)
    this.link?.configure(appearanceOf(this))
  }

  #load(): void {
    this.#unload()
    const address = this.getAttribute('frame') ?? ''
    const url = URL.canParse(address, document.baseURI) ? new URL(address, document.baseURI) : null
    // On this page's own origin a frame would be open to the page.
    if (url === null || !/^https?:$/.test(url.protocol) || url.origin === location.origin) {
      console.error(`<${this.localName}> needs a frame on another origin, not "${address}".`)
      return
    }
    const frame = document.createElement('iframe')
    frame.part.add('frame')
    frame.referrerPolicy = 'no-referrer'
    frame.style.height = `${this.first_height}px`
    this.shadow.prepend(frame)
    this.#frame = frame
    const options = { url, appearance: appearanceOf(this), unavailable: () => this.unavailable() }
    this.link = new FrameLink(frame, { ...options, listener: this.#listener(frame) })
    this.configure()
  }

  #unload(): void {
    this.link?.close()
    this.link = null
    this.#frame?.remove()
    this.#frame = null
    this.complete = false
    this.forget()
    this.internals.states.clear()
  }

  #listener(frame: HTMLIFrameElement): Listener {
    return {
      ready: () => {
        this.#mark('ready', true)
        this.dispatchEvent(new CustomEvent('ready'))
      },
      edited: () => this.forget(),
      change: (change) => this.#changed(change),
      height: (height) => {
        if (height > 0) frame.style.height = `${Math.min(height, tallest)}px`
      },
      focus: (focused) => this.#mark('focused', focused),
      submit: () => this.submit(),
      unavailable: () => this.tell(this.unavailable()),
    }
  }

  #changed(change: FieldsChange): void {
    this.complete = change.complete
    this.#mark('complete', change.complete)
    this.#mark('invalid', change.error !== null)
    this.dispatchEvent(new CustomEvent('change', { detail: change, bubbles: true }))
  }

  #mark(state: string, on: boolean): void {
    if (on) this.internals.states.add(state)
    else this.internals.states.delete(state)
  }

  connectedCallback(): void {
    this.#placed = true
    dark.addEventListener('change', this.#restyle)
    this.#load()
  }

  disconnectedCallback(): void {
    this.#placed = false
    dark.removeEventListener('change', this.#restyle)
    this.#unload()
  }

  attributeChangedCallback(name: string): void {
    // An element of the page's markup hears of its attributes before it is told that it is in the page.
    if (!this.#placed) return
    if (name === 'frame') this.#load()
    else this.configure()
  }

  formDisabledCallback(disabled: boolean): void {
    this.#disabled_by_form = disabled
    this.configure()
  }

  formResetCallback(): void {
    this.clear()
  }

  readonly #restyle = () => this.configure()
}

/** No page of fields is higher than this, in CSS pixels, and none may cover the page around. */
const tallest = 1_000

const dark = matchMedia('(prefers-color-scheme: dark)')
