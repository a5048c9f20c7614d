/**
 * Holds a form back until the element in it has a token, then sends it on as if nothing had been: the same button, the
 * page's own listeners, validation done. Listeners of the page see only the second, whole submit. Meanwhile the form is
 * `aria-busy`, for the page to show.
 */
export class FormSubmission {
  readonly #takesPart: () => boolean
  readonly #fill: () => Promise<boolean>
  #form: HTMLFormElement | null = null
  #filling = false
  #going_on = false

  /** `fill` gives the form its value, and answers false where there is none. */
  constructor(options: { takesPart: () => boolean; fill: () => Promise<boolean> }) {
    this.#takesPart = options.takesPart
    this.#fill = options.fill
  }

  listen(form: HTMLFormElement | null): void {
    this.#form?.removeEventListener('submit', this.#onSubmit, true)
    this.#form = form
    form?.addEventListener('submit', this.#onSubmit, true)
  }

  /** Enter in a field of the frame sends the form, as it does in any other field. */
  request(): void {
    if (!this.#filling) this.#form?.requestSubmit()
  }

  readonly #onSubmit = (event: SubmitEvent): void => {
    if (this.#going_on || !this.#takesPart()) return
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
    try {
      form.requestSubmit(submitter?.isConnected ? submitter : null)
    } finally {
      this.#going_on = false
    }
  }
}
