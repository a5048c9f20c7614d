import type { FieldsError } from '../protocol.ts'
import { type Authorization, AuthorizationBox } from './authorization.ts'
import { FieldsElement } from './fields-element.ts'

/** `<quittance-card>`: number, expiry and security code. */
class CardElement extends FieldsElement {
  protected readonly label = 'card'
  protected readonly first_height = 164

  protected confirmation(token: string): object {
    return { card: { token } }
  }

  protected formEntries(): Record<string, string> {
    return {}
  }

  protected refuse(): null {
    return null
  }
}

/**
 * `<quittance-bank-account>`: routing and account number of a US account. Given an `authorization` (the property, or
 * the attribute as JSON: the session's `ach_authorization`), it shows the text with a box, and gives no token before the
 * box is ticked; a form then also sends `accepted` and `terms_version`.
 */
class BankAccountElement extends FieldsElement {
  static override readonly observedAttributes = [...FieldsElement.observedAttributes, 'authorization']
  protected readonly label = 'bank_account'
  protected readonly first_height = 164
  readonly #box = new AuthorizationBox(this.shadow)

  get authorization(): Authorization | null {
    return this.#box.shown
  }

  set authorization(authorization: Authorization | null) {
    this.#box.show(authorization)
    this.configure()
  }

  override attributeChangedCallback(name: string): void {
    if (name === 'authorization') this.authorization = JSON.parse(this.getAttribute(name) ?? 'null')
    super.attributeChangedCallback(name)
  }

  override clear(): void {
    this.#box.reset()
    super.clear()
  }

  protected override configure(): void {
    this.#box.configure({ label: this.text('accept'), disabled: this.disabled })
    super.configure()
  }

  protected confirmation(token: string): object {
    const terms_version = this.#box.accepted
    const ach_authorization =
      terms_version === null ? {} : { ach_authorization: { accepted: true, terms_version } }
    return { us_bank_account: { token }, ...ach_authorization }
  }

  protected formEntries(): Record<string, string> {
    const terms_version = this.#box.accepted
    return terms_version === null ? {} : { accepted: 'yes', terms_version }
  }

  protected refuse(): FieldsError | null {
    const message = this.text('accept_first')
    return this.#box.refuse(message) ? { code: 'accept_first', field: 'authorization', message } : null
  }
}

// A page that loads the script twice keeps its elements.
if (!customElements.get('quittance-card')) {
  customElements.define('quittance-card', CardElement)
  customElements.define('quittance-bank-account', BankAccountElement)
}
