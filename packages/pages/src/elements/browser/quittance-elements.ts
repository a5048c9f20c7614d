import type { Authorization, QuittanceBankAccount, QuittanceCard } from '../declarations.ts'
import { AuthorizationBox } from './authorization.ts'
import { FieldsElement } from './fields-element.ts'
import { attendHostedPage } from './hosted-page.ts'

/** `<quittance-card>`: number, expiry and security code. */
class CardElement extends FieldsElement implements QuittanceCard {
  constructor() {
    super({ type: 'card', label: 'card', box: null })
  }
}

/**
 * `<quittance-bank-account>`: routing and account number of a US account. Given an `authorization` (the property, or
 * the attribute as JSON: the session's `ach_authorization`), it shows the text with a box, and gives no token before
 * the box is ticked; a form then also sends `accepted` and `terms_version`.
 */
class BankAccountElement extends FieldsElement implements QuittanceBankAccount {
  static override readonly observedAttributes = [...FieldsElement.observedAttributes, 'authorization']
  readonly #box: AuthorizationBox

  constructor() {
    const box = new AuthorizationBox()
    super({ type: 'us_bank_account', label: 'bank_account', box })
    this.#box = box
    // Set before this script ran, it is an own property of the element, which hides the accessor.
    const given = Object.getOwnPropertyDescriptor(this, 'authorization')?.value
    if (given !== undefined && Reflect.deleteProperty(this, 'authorization')) this.authorization = given
  }

  get authorization(): Authorization | null {
    return this.#box.shown
  }

  set authorization(authorization: Authorization | null) {
    this.#box.show(authorization)
  }

  override attributeChangedCallback(name: string, before: string | null, after: string | null): void {
    if (name === 'authorization') this.authorization = JSON.parse(after ?? 'null')
    super.attributeChangedCallback(name, before, after)
  }
}

// A page that loads the script twice keeps its elements.
if (!customElements.get('quittance-card')) {
  customElements.define('quittance-card', CardElement)
  customElements.define('quittance-bank-account', BankAccountElement)
  attendHostedPage()
}
