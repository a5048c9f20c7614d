import type { FieldsChange, FieldsError } from '../protocol.ts'
import { appearanceOf } from './appearance.ts'
import { type ConfirmedSession, type ConfirmOptions, confirmSession } from './confirm-session.ts'
import { element_style } from './element-style.ts'
import { type ElementText, element_texts, localeOf } from './element-texts.ts'
import { ElementsError } from './elements-error.ts'
import { FormSubmission } from './form-submission.ts'
import { FrameLink, type Listener } from './frame-link.ts'

/**
 * A form-associated custom element around a frame that collects payment details. The page around it is told whether
 * they are complete, and is given a token; what was typed stays in the frame.
 *
 * - Attributes: `frame` (the address of the page in the frame, on another origin than this page's), `api` (the API's
 *   base URL, for `confirm`), `locale` (`en`, `fr`, `es`; else the page's language), `name`, `disabled`.
 * - Events: `ready`; `change` with `{ complete, empty, brand, error }`; `error` with `{ code, field, message }`.
 * - In a form, with a `name`: sending the form gets a token first, and sends it under that name.
 * - Without: `tokenize()` resolves to a token, `confirm(options)` to the confirmed session.
 * - For CSS: `:state(ready)`, `:state(complete)`, `:state(invalid)`, `:state(focused)`, and `--quittance-*`.
 */
export abstract class FieldsElement extends HTMLElement {
  static readonly formAssociated = true
  static readonly observedAttributes: readonly string[] = ['frame', 'locale', 'disabled', 'class', 'style']

  /** What the fields are, for a screen reader. */
  protected abstract readonly label: ElementText
  /** How high the frame is before it says so, in CSS pixels: with the default theme nothing moves then. */
  protected abstract readonly first_height: number
  protected readonly shadow = this.attachShadow({ mode: 'closed' })
  readonly #internals = this.attachInternals()
  readonly #submission = new FormSubmission({
    takesPart: () => this.hasAttribute('name') && !this.disabled,
    fill: () => this.#fillForm(),
  })
  #frame: HTMLIFrameElement | null = null
  #link: FrameLink | null = null
  #disabled_by_form = false
  #asking: Promise<string> | null = null
  /** Of details that have not changed since: a confirm whose answer was lost must be tried again with the same token. */
  #token: string | null = null

  constructor() {
    super()
    const sheet = new CSSStyleSheet()
    sheet.replaceSync(element_style)
    this.shadow.adoptedStyleSheets = [sheet]
  }

  /** The body of a confirm, billing details apart. */
  protected abstract confirmation(token: string): object
  /** What a form sends beside the token. */
  protected abstract formEntries(): Record<string, string>
  /** Why no token is asked for yet; it is shown, and has the focus. Null: nothing is missing. */
  protected abstract refuse(): FieldsError | null

  get disabled(): boolean {
    return this.hasAttribute('disabled') || this.#disabled_by_form
  }

  set disabled(disabled: boolean) {
    this.toggleAttribute('disabled', disabled)
  }

  /** Into the first field that is wrong or empty, else the first. */
  override focus(): void {
    this.#frame?.focus()
    this.#link?.send({ type: 'focus' })
  }

  clear(): void {
    this.#forget()
    this.#link?.send({ type: 'clear' })
  }

  /** A token for what was typed. Rejects with what is wrong, which is shown and announced, with the focus on it. */
  async tokenize(): Promise<string> {
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = null
    })
    return this.#asking
  }

  /**
   * Confirms a payment method session with what was typed: gets a token, and sends it to the API from this page.
   * Rejects as `tokenize` does, or with the API's error in `api`. Without an answer (`no_answer`) it can be tried again.
   */
  async confirm(options: ConfirmOptions): Promise<ConfirmedSession> {
    const refused = this.refuse()
    if (refused) throw this.#tell(new ElementsError(refused))
    const token = this.#token ?? (await this.tokenize())
    const api = new URL(this.getAttribute('api') ?? '/v1', document.baseURI).href.replace(/\/$/, '')
    const answer = await confirmSession(api, options, this.confirmation(token)).catch(() => null)
    if (answer === null) {
      const message = this.text('no_answer')
      throw this.#tell(new ElementsError({ code: 'no_answer', field: null, message }))
    }
    if (!(answer instanceof ElementsError)) return answer
    this.#forget()
    this.#link?.send({ type: 'refuse', message: answer.message })
    throw this.#tell(answer)
  }

  protected text(text: ElementText): string {
    return element_texts[localeOf(this)][text]
  }

  /** Again in the language and the colors of the moment. */
  protected configure(): void {
    if (this.#frame) this.#frame.title = this.text(this.label)
    this.#link?.configure(appearanceOf(this))
  }

  async #ask(): Promise<string> {
    try {
      const refused = this.refuse()
      if (refused) throw new ElementsError(refused)
      if (!this.#link) throw this.#unavailable()
      this.#token = await this.#link.tokenize()
      return this.#token
    } catch (fault) {
      const error = fault instanceof ElementsError ? fault : this.#unavailable()
      if (error.code !== 'accept_first') this.#frame?.focus()
      throw this.#tell(error)
    }
  }

  /** False where there is no token: the payer has been told why. */
  async #fillForm(): Promise<boolean> {
    const token = await this.tokenize().catch(() => null)
    if (token === null) return false
    const value = new FormData()
    value.append(this.getAttribute('name') ?? '', token)
    for (const [name, entry] of Object.entries(this.formEntries())) value.append(name, entry)
    this.#internals.setFormValue(value)
    return true
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
    const options = { url, appearance: appearanceOf(this), unavailable: () => this.#unavailable() }
    this.#link = new FrameLink(frame, { ...options, listener: this.#listener(frame) })
    this.configure()
  }

  #listener(frame: HTMLIFrameElement): Listener {
    return {
      ready: () => {
        this.#mark('ready', true)
        this.dispatchEvent(new CustomEvent('ready'))
      },
      change: (change) => this.#changed(change),
      height: (height) => {
        if (height > 0) frame.style.height = `${Math.min(height, tallest)}px`
      },
      focus: (focused) => this.#mark('focused', focused),
      submit: () => this.#submission.request(),
      unavailable: () => this.#tell(this.#unavailable()),
    }
  }

  #changed(change: FieldsChange): void {
    this.#forget()
    this.#mark('complete', change.complete)
    this.#mark('invalid', change.error !== null)
    this.dispatchEvent(new CustomEvent('change', { detail: change, bubbles: true }))
  }

  #forget(): void {
    this.#token = null
    this.#internals.setFormValue(null)
  }

  #mark(state: string, on: boolean): void {
    if (on) this.#internals.states.add(state)
    else this.#internals.states.delete(state)
  }

  #unavailable(): ElementsError {
    return new ElementsError({ code: 'unavailable', field: null, message: this.text('unavailable') })
  }

  #tell(error: ElementsError): ElementsError {
    const { code, field, message } = error
    this.dispatchEvent(new CustomEvent('error', { detail: { code, field, message } }))
    return error
  }

  #unload(): void {
    this.#link?.close()
    this.#link = null
    this.#frame?.remove()
    this.#frame = null
    this.#internals.states.clear()
  }

  // What the browser calls.

  connectedCallback(): void {
    this.#submission.listen(this.#internals.form)
    dark.addEventListener('change', this.#restyle)
    this.#load()
  }

  disconnectedCallback(): void {
    this.#submission.listen(null)
    dark.removeEventListener('change', this.#restyle)
    this.#unload()
  }

  readonly #restyle = () => this.configure()

  attributeChangedCallback(name: string): void {
    if (!this.isConnected) return
    if (name === 'frame') this.#load()
    else this.configure()
  }

  formAssociatedCallback(form: HTMLFormElement | null): void {
    this.#submission.listen(form)
  }

  formDisabledCallback(disabled: boolean): void {
    this.#disabled_by_form = disabled
    this.configure()
  }

  formResetCallback(): void {
    this.clear()
  }
}

/** No page of fields is higher than this, in CSS pixels, and none may cover the page around. */
const tallest = 1_000

const dark = matchMedia('(prefers-color-scheme: dark)')
