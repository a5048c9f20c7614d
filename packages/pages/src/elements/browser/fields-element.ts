import type { FieldsError } from '../protocol.ts'
import { type ConfirmedSession, type ConfirmOptions, confirmSession } from './confirm-session.ts'
import { textOf } from './element-texts.ts'
import { type ApiError, ElementsError } from './elements-error.ts'
import { FormSubmission } from './form-submission.ts'
import { FramedElement } from './framed-element.ts'

/**
 * A form-associated custom element that collects payment details in a frame. The page around it is told whether they
 * are complete, and is given a token; what was typed stays in the frame.
 *
 * - Attributes: `frame` (the address of the page in the frame, on another origin than this page's), `api` (the API's
 *   base URL, for `confirm`), `locale` (`en`, `fr`, `es`; else the page's language), `name`, `disabled`.
 * - Events: `ready`; `change` with `{ complete, empty, brand, error }`; `error` with `{ code, field, message }`.
 * - In a form, with a `name`: sending the form gets a token first, and sends it under that name.
 * - Without: `tokenize()` resolves to a token, `confirm(options)` to the confirmed session.
 * - For CSS: `:state(ready)`, `:state(complete)`, `:state(invalid)`, `:state(focused)`, and `--quittance-*`.
 */
export abstract class FieldsElement extends FramedElement {
  static readonly formAssociated = true

  readonly #submission = new FormSubmission({
    takesPart: () => this.hasAttribute('name') && !this.disabled,
    fill: () => this.#fillForm(),
  })
  #asking: Promise<string> | null = null
  /** Of details that have not changed since: a confirm whose answer was lost is tried again with the same token. */
  #token: string | null = null

  /** The body of a confirm, billing details apart. */
  protected abstract confirmation(token: string): object
  /** What a form sends beside the token. */
  protected abstract formEntries(): Record<string, string>
  /** What is missing beside the fields; it is shown, and has the focus. Null: nothing is. */
  protected abstract refuse(): FieldsError | null

  /** A token for what was typed. Rejects with what is wrong, which is shown and announced, with the focus on it. */
  tokenize(): Promise<string> {
    return this.#askOnce(null)
  }

  /**
   * Confirms a payment method session with what was typed: gets a token, and sends it to the API from this page.
   * Rejects as `tokenize` does, or with the API's error in `api`. Without an answer (`no_answer`) it can be tried again.
   */
  async confirm(options: ConfirmOptions): Promise<ConfirmedSession> {
    const token = await this.#askOnce(this.#token)
    const api = new URL(this.getAttribute('api') ?? '/v1', document.baseURI).href.replace(/\/$/, '')
    const answer = await confirmSession(api, options, this.confirmation(token)).catch(() => null)
    if (answer === null) throw this.#refused('no_answer', null)
    if ('session' in answer) return answer.session
    this.forget()
    throw this.#refused(answer.error.code, answer.error)
  }

  protected forget(): void {
    this.#token = null
    this.internals.setFormValue(null)
  }

  protected submit(): void {
    this.#submission.request()
  }

  /** Two clicks on one button are one question. */
  #askOnce(known: string | null): Promise<string> {
    this.#asking ??= this.#ask(known).finally(() => {
      this.#asking = null
    })
    return this.#asking
  }

  async #ask(known: string | null): Promise<string> {
    try {
      // The fields come first on the page, and what is wrong with them is said first.
      if (this.complete) this.#insist()
      if (!this.link) throw this.unavailable()
      const token = known ?? (await this.link.tokenize())
      this.#insist()
      this.#token = token
      return token
    } catch (fault) {
      const error = fault instanceof ElementsError ? fault : this.unavailable()
      if (error.code !== 'accept_first') this.focus()
      throw this.tell(error)
    }
  }

  #insist(): void {
    const refused = this.refuse()
    if (refused) throw new ElementsError(refused)
  }

  /** By the API, or by nobody knows whom: the fields show it, as they show what is wrong with them. */
  #refused(code: string, api: ApiError | null): ElementsError {
    const error = new ElementsError({ code, field: null, message: this.text(textOf(code)) }, api)
    this.link?.send({ type: 'refuse', message: error.message })
    this.focus()
    return this.tell(error)
  }

  /** False where there is no token: the payer has been told why. */
  async #fillForm(): Promise<boolean> {
    const token = await this.tokenize().catch(() => null)
    if (token === null) return false
    const value = new FormData()
    value.append(this.getAttribute('name') ?? '', token)
    for (const [name, entry] of Object.entries(this.formEntries())) value.append(name, entry)
    this.internals.setFormValue(value)
    return true
  }

  override connectedCallback(): void {
    super.connectedCallback()
    this.#submission.listen(this.internals.form)
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback()
    this.#submission.listen(null)
  }

  formAssociatedCallback(form: HTMLFormElement | null): void {
    this.#submission.listen(form)
  }
}
