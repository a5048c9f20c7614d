/**
 * Holds a form back until the element in it has a token, then sends it on as if nothing had been: the same button, the
 * page's own listeners, validation done. Listeners of the page see only the second, whole submit. Meanwhile the form is
 * `aria-busy`, for the page to show; it is so again while the browser waits for the page that the form leads to.
 */
export class FormSubmission {
  readonly #takesPart: () => boolean
  readonly #fill: () => Promise<boolean>
  #form: HTMLFormElement | null = null
  #filling = false
  #going_on = false
  /** The submit that was let through, as its listeners have left it. */
  #let_through: SubmitEvent | null = null
  /** The form was sent as it is, and the page it leads to has not come yet. */
  #leaving: AbortController | null = null

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

  /** Enter in a field of the frame does what it does in any other field: presses the form's first button that sends it. */
  request(): void {
    if (this.#filling || this.#form === null) return
    const button = defaultButton(this.#form)
    if (button) button.click()
    else this.#form.requestSubmit()
  }

  /** What the form has is no longer what was sent: the next submit asks anew. */
  forget(): void {
    this.#leaving?.abort()
    this.#leaving = null
  }

  readonly #onSubmit = (event: SubmitEvent): void => {
    if (this.#going_on) this.#let_through = event
    // Pressed again while it is on its way, it is the same form: another token would make it another one.
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

  /** A button may be pressed all the same: whoever has stopped the browser can send the form again at once. */
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

/** No browser tells a page that the one it waits for was stopped, or never came. */
const longest_wait_ms = 30_000

/** Not where a listener sends the form itself, nor where its answer is shown elsewhere. */
function leavesPage({ defaultPrevented, submitter }: SubmitEvent, form: HTMLFormElement): boolean {
  const target = submitter?.getAttribute('formtarget') ?? form.target
  return !defaultPrevented && form.method !== 'dialog' && /^(_self)?$/i.test(target)
}

/** The first in the page's order, wherever it is and whether or not it can be pressed: a disabled one holds Enter back. */
function defaultButton(form: HTMLFormElement): HTMLElement | undefined {
  const root = form.getRootNode() as Document | ShadowRoot | Element
  const controls = root.querySelectorAll<HTMLButtonElement | HTMLInputElement>('button, input')
  return [...controls].find((control) => control.form === form && /^(submit|image)$/.test(control.type))
}
