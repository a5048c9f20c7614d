import type { Authorization } from '../declarations.ts'

/** The text and, below it, the checkbox: outside the frame, so that it comes with the fields of every tokenizer. */
export class AuthorizationBox {
  readonly #root = document.createElement('div')
  readonly #terms = document.createElement('p')
  readonly #checkbox = document.createElement('input')
  readonly #label = document.createElement('span')
  readonly #error = document.createElement('p')
  #shown: Authorization | null = null

  constructor() {
    const label = document.createElement('label')
    this.#root.className = 'authorization'
    this.#root.part.add('authorization')
    this.#root.hidden = true
    this.#terms.id = 'terms'
    // The text is recorded in English, whatever the page's language.
    this.#terms.lang = 'en'
    this.#checkbox.type = 'checkbox'
    this.#checkbox.ariaRequired = 'true'
    this.#checkbox.setAttribute('aria-describedby', 'terms error')
    this.#checkbox.addEventListener('change', () => this.#say(''))
    this.#error.id = 'error'
    this.#error.className = 'error'
    this.#error.role = 'alert'
    label.append(this.#checkbox, this.#label)
    this.#root.append(this.#terms, label, this.#error)
  }

  appendTo(shadow: ShadowRoot): void {
    shadow.append(this.#root)
  }

  get shown(): Authorization | null {
    return this.#shown
  }

  /** A different text is a different agreement, which has not been accepted. */
  show(authorization: Authorization | null | undefined): void {
    const { text, terms_version } = authorization ?? {}
    if (text !== this.#shown?.text || terms_version !== this.#shown?.terms_version) this.reset()
    // A page that has no session yet may pass undefined.
    this.#shown = authorization ?? null
    this.#root.hidden = this.#shown === null
    this.#terms.textContent = text ?? ''
  }

  configure({ label, locale, disabled }: { label: string; locale: string; disabled: boolean }): void {
    this.#root.lang = locale
    this.#label.textContent = label
    this.#checkbox.disabled = disabled
  }

  /** The version that was accepted; null if none is shown, or none was accepted. */
  get accepted(): string | null {
    return this.#checkbox.checked ? (this.#shown?.terms_version ?? null) : null
  }

  /** Whether a text is shown that was not accepted. If so, shows `message` and takes the focus. */
  refuse(message: string): boolean {
    if (this.#shown === null || this.#checkbox.checked) return false
    this.#say(message)
    this.#checkbox.focus()
    return true
  }

  reset(): void {
    this.#checkbox.checked = false
    this.#say('')
  }

  #say(error: string): void {
    this.#error.textContent = error
    this.#checkbox.ariaInvalid = String(error !== '')
  }
}
