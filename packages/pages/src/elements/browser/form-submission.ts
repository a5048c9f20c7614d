/**
 * Holds a form back until the element in it has a token, then submits it as if it had not been held: the same button, the
 * page's own listeners, validation done. Listeners of the page see only the second, complete submit. Meanwhile the form is
 * `aria-busy`, for the page to show, and again while the browser waits for the page that the form leads to.
 */
export class FormSubmission {
  readonly #takesPart: () => boolean
  readonly #fill: () => Promise<boolean>
  #form: HTMLFormElement | null = null
  #filling = false
  #going_on = false
  /** The submit event that was let through, as the page's listeners have left it. */
  #let_through: SubmitEvent | null = null
  /** The form was submitted as it is, and the page that it leads to has not loaded yet. */
  #leaving: AbortController | null = null

  /** `fill` gives the form its value, and resolves to false if there is none. */
  constructor(options: { takesPart: () => boolean; fill: () => Promise<boolean> }) {
    this.#takesPart = options.takesPart
    this.#fill = options.fill
  }

  listen(form: HTMLFormElement | null): void {
    this.#form?.removeEventListener('submit', this.#onSubmit, true)
    this.#form = form
    form?.addEventListener('submit', this.#onSubmit, true)
  }

  /** Enter in a field of the frame does what it does in any other field: it clicks the form's first submit button. */
  request(): void {
    if (this.#filling || this.#form === null) return
    const button = defaultButton(this.#form)
    if (button) button.click()
    else this.#form.requestSubmit()
  }

  /** The form's details are no longer those submitted: the next submit asks for a new token. */
  forget(): void {
    this.#leaving?.abort()
    this.#leaving = null
  }

  readonly #onSubmit = (event: SubmitEvent): void => {
    if (this.#going_on) this.#let_through = event
    // Submitted again while it is on its way, it must stay the same form: a new token would make it a different one.
    if (this.#going_on || this.#leaving !== null || !this.#takesPart()) return
    event.preventDefault()
    event.stopImmediatePropagation()
    if (!this.#filling && this.#form) void this.#fillAndGoOn(this.#form, event.submitter)
  }

  async #fillAndGoOn(form: HTMLFormElement, submitter: HTMLElement | null): Promise<void> {
    this.#filling = true
    form.ariaBusy = 'true'
    const filled = await this.#fill()
    form.ariaBusy = null
    this.#filling = false
    if (!filled || form !== this.#form) return
    this.#going_on = true
    this.#let_through = null
    try {
      form.requestSubmit(submitter?.isConnected ? submitter : null)
    } finally {
      this.#going_on = false
    }
    if (this.#let_through !== null && leavesPage(this.#let_through, form)) this.#stayBusy(form)
  }

  /** Buttons stay enabled: whoever has stopped the browser can submit the form again at once. */
  #stayBusy(form: HTMLFormElement): void {
    this.#leaving = new AbortController()
    const { signal } = this.#leaving
    const rest = () => this.forget()
    form.ariaBusy = 'true'
    window.addEventListener('pageshow', ({ persisted }) => persisted && rest(), { signal })
    const timer = setTimeout(rest, longest_wait_ms)
    signal.addEventListener('abort', () => {
      form.ariaBusy = null
      clearTimeout(timer)
    })
  }
}

/** No browser tells a page that the next one was stopped, or never came. */
const longest_wait_ms = 30_000

/** False if a listener sends the form itself, or if the response is shown elsewhere. */
function leavesPage({ defaultPrevented, submitter }: SubmitEvent, form: HTMLFormElement): boolean {
  const target = submitter?.getAttribute('formtarget') ?? form.target
  return !defaultPrevented && form.method !== 'dialog' && /^(_self)?$/i.test(target)
}

/** The form's first submit button in tree order, even outside the form. A disabled one counts: with it, Enter does nothing. */
function defaultButton(form: HTMLFormElement): HTMLElement | undefined {
  const root = form.getRootNode() as Document | ShadowRoot | Element
  const controls = root.querySelectorAll<HTMLButtonElement | HTMLInputElement>('button, input')
  return [...controls].find((control) => control.form === form && /^(submit|image)$/.test(control.type))
}
