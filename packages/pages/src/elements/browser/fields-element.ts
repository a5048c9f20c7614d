import type { ConfirmedSession, ConfirmOptions } from '../declarations.ts'
import type { AuthorizationBox } from './authorization.ts'
import { confirmSession, missingIn, mistakeIn } from './confirm-session.ts'
import { element_style } from './element-style.ts'
import { type ElementText, localeOf, textForError } from './element-texts.ts'
import { type ApiError, ElementsError } from './elements-error.ts'
import { FormSubmission } from './form-submission.ts'
import { FrameHolder } from './frame-holder.ts'

/** What makes one element differ from another. */
export interface Kind {
  /** The payment method type, as the API names it. */
  type: 'card' | 'us_bank_account'
  label: ElementText
  /** The authorization to accept below the fields; null if there is none. */
  box: AuthorizationBox | null
}

/**
 * A form-associated custom element that collects payment details in a frame. The page around it is told whether they
 * are complete, and is given a token; what was typed stays in the frame.
 *
 * - Attributes: `frame` (the address of the page in the frame, on another origin than this page's), `api` (the API's
 *   base URL, for `confirm`), `locale` (`en`, `fr`, `es`; else the page's language), `name`, `disabled`.
 * - Events: `ready`; `change` with `{ complete, empty, brand, error }`; `error` with `{ code, field, message }`.
 * - In a form, with a `name`: sending the form gets a token first, and sends it under that name.
 * - Without a form: `tokenize()` resolves to a token, `confirm(options)` to the confirmed session.
 * - For CSS: `:state(ready)`, `:state(complete)`, `:state(invalid)`, `:state(focused)`, and `--quittance-*`.
 */
export abstract class FieldsElement extends HTMLElement {
  static readonly formAssociated = true
  static readonly observedAttributes: readonly string[] = ['frame', 'locale', 'disabled', 'class', 'style']

  // All that could lead to the frame is #private: a page can read what is merely `protected`.
  readonly #type: Kind['type']
  readonly #internals = this.attachInternals()
  readonly #holder: FrameHolder
  readonly #box: AuthorizationBox | null
  readonly #submission = new FormSubmission({
    takesPart: () => this.hasAttribute('name') && !this.disabled,
    fill: () => this.#fillForm(),
  })
  #placed = false
  #disabled_by_form = false
  #asking: Promise<string> | null = null
  /** What a session was confirmed with, while its details are unchanged: a retry must send the same token. */
  #confirmed: { clientSecret: string; token: string } | null = null

  constructor({ type, label, box }: Kind) {
    super()
    const shadow = this.attachShadow({ mode: 'closed' })
    const sheet = new CSSStyleSheet()
    sheet.replaceSync(element_style)
    shadow.adoptedStyleSheets = [sheet]
    this.#type = type
    this.#box = box
    box?.appendTo(shadow)
    const told = { forget: () => this.#forget(), submit: () => this.#submission.request() }
    const internals = this.#internals
    this.#holder = new FrameHolder({ element: this, shadow, internals, label, ...told })
  }

  get disabled(): boolean {
    return this.hasAttribute('disabled') || this.#disabled_by_form
  }

  set disabled(disabled: boolean) {
    this.toggleAttribute('disabled', disabled)
  }

  /** Focuses the first field that is wrong or empty, else the first. */
  override focus(): void {
    this.#holder.focus()
  }

  clear(): void {
    this.#forget()
    this.#box?.reset()
    this.#holder.clear()
  }

  /** A token for what was typed. Rejects with what is wrong, which is shown and announced, with the focus on it. */
  tokenize(): Promise<string> {
    return this.#askOnce(null)
  }

  /**
   * Confirms a payment method session with what was typed: gets a token, and sends it to the API from this page.
   * Rejects as `tokenize` does, or with the API's error in `api`. Without a response (`no_answer`) it can be retried.
   */
  async confirm(options: ConfirmOptions): Promise<ConfirmedSession> {
    const api = this.getAttribute('api') ?? '/v1'
    const mistake = mistakeIn(options, api)
    if (mistake !== null) {
      console.error(mistake.reason)
      throw this.#refused(mistake.code, null)
    }
    const missing = missingIn(options)
    if (missing !== null) throw this.#refused(`${missing}_missing`, null, missing)
    const { clientSecret } = options
    const known = this.#confirmed?.clientSecret === clientSecret ? this.#confirmed.token : null
    const token = await this.#askOnce(known)
    this.#confirmed = { clientSecret, token }
    const terms_version = this.#box?.accepted ?? null
    const ach_authorization = terms_version === null ? undefined : { accepted: true, terms_version }
    const details = { [this.#type]: { token }, ach_authorization }
    const answer = await confirmSession(api, options, details).catch(() => null)
    if (answer === null) throw this.#refused('no_answer', null)
    if ('session' in answer) return answer.session
    // `rate_limit_exceeded` says nothing of the token: the session may have it from an attempt whose response was lost.
    if (answer.error.code !== 'rate_limit_exceeded') this.#forget()
    throw this.#refused(answer.error.code, answer.error)
  }

  #forget(): void {
    this.#submission.forget()
    this.#confirmed = null
    this.#internals.setFormValue(null)
  }

  /** Two clicks on one button ask once. */
  #askOnce(known: string | null): Promise<string> {
    this.#asking ??= this.#ask(known).finally(() => {
      this.#asking = null
    })
    return this.#asking
  }

  async #ask(known: string | null): Promise<string> {
    try {
      // The fields come first on the page, so their mistakes are shown first.
      if (this.#holder.complete) this.#insist()
      const token = await this.#holder.tokenize(known)
      this.#insist()
      return token
    } catch (fault) {
      const error = fault instanceof ElementsError ? fault : this.#holder.unavailable()
      if (error.code !== 'accept_first') this.focus()
      throw this.#holder.tell(error)
    }
  }

  /** Throws unless the authorization that is shown is accepted. */
  #insist(): void {
    const message = this.#holder.text('accept_first')
    if (this.#box?.refuse(message))
      throw new ElementsError({ code: 'accept_first', field: 'authorization', message })
  }

  /** The error for a refusal by the API, or for no response. The fields show it as they show their own mistakes. */
  #refused(code: string, api: ApiError | null, field: string | null = null): ElementsError {
    const message = this.#holder.text(textForError(code))
    this.#holder.refuse(message)
    // A field that is named here is the page's own, and so the page focuses it.
    if (field === null) this.focus()
    return this.#holder.tell(new ElementsError({ code, field, message }, api))
  }

  /** False if there is no token: the payer has been told why. */
  async #fillForm(): Promise<boolean> {
    const token = await this.tokenize().catch(() => null)
    if (token === null) return false
    const value = new FormData()
    value.append(this.getAttribute('name') ?? '', token)
    const terms_version = this.#box?.accepted ?? null
    if (terms_version !== null) {
      value.append('accepted', 'yes')
      value.append('terms_version', terms_version)
    }
    this.#internals.setFormValue(value)
    return true
  }

  #configure(): void {
    const label = this.#holder.text('accept')
    this.#box?.configure({ label, locale: localeOf(this), disabled: this.disabled })
    this.#holder.configure()
  }

  connectedCallback(): void {
    this.#placed = true
    this.#submission.listen(this.#internals.form)
    this.#holder.load()
    this.#configure()
  }

  disconnectedCallback(): void {
    this.#placed = false
    this.#submission.listen(null)
    this.#holder.unload()
  }

  attributeChangedCallback(name: string, before: string | null, after: string | null): void {
    // For an element in the page's markup this is called before `connectedCallback`.
    if (!this.#placed) return
    if (name !== 'frame') this.#configure()
    // A page that renders again may set the same value: if the frame were reloaded, it would lose what was typed.
    else if (before !== after || this.#holder.failed) this.#holder.load()
  }

  formAssociatedCallback(form: HTMLFormElement | null): void {
    this.#submission.listen(form)
  }

  formDisabledCallback(disabled: boolean): void {
    this.#disabled_by_form = disabled
    this.#configure()
  }

  formResetCallback(): void {
    this.clear()
  }
}
