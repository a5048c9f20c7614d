import type { Authorization } from '../declarations.ts'

/** The text, and below it the box that accepts it: beside the frame, so that every tokenizer's fields come with it. */
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
    // As it is recorded, whatever the page's language.
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

  /** Another text is another agreement: it has not been accepted. */
  show(authorization: Authorization | null | undefined): void {
    const { text, terms_version } = authorization ?? {}
    if (text !== this.#shown?.text || terms_version !== this.#shown?.terms_version) this.reset()
    // A page that has no session yet may give what is undefined.
    this.#shown = authorization ?? null
    this.#root.hidden = this.#shown === null
    this.#terms.textContent = text ?? ''
  }

  configure({ label, locale, disabled }: { label: string; locale: string; disabled: boolean }): void {
    this.#root.lang = locale
    this.#label.textContent = label
    this.#checkbox.disabled = disabled
  }

  /** The version that was accepted; null where none is shown or it was not. */
  get accepted(): string | null {
    return this.#checkbox.checked ? (this.#shown?.terms_version ?? null) : null
  }

  /** Whether something is shown that was not accepted. It says so then, and takes the focus. */
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
