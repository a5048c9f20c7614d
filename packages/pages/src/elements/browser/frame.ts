import type { Appearance, FieldsChange, FieldsError, ToFrame } from '../protocol.ts'
import type { Around, Field, Problem } from './field.ts'
import { byId, inputOf, say, textOf } from './frame-dom.ts'
import { awaitOpening, type Parent } from './frame-port.ts'
import { type FrameText, frame_texts } from './frame-texts.ts'
import { theme_properties } from './theme.ts'
import { askForToken } from './tokens.ts'
import { type Format, rewrite } from './typed-text.ts'

/** What makes one frame differ from another. */
interface Details {
  fields: readonly Field[]
  /** The body of `POST tokens`, once every field is right. */
  body(): object
  /** The network of a card. */
  brand?(): string | null
  /** Updates the parts of the page that depend on what is typed. */
  show?(texts: Record<FrameText, string>): void
  /** Shown in the payer's language when the sandbox refuses. */
  test_details_only: FrameText
}

/** Runs the page in the frame: from the opening on, its fields obey the element. */
export function runFrame(details: Details): void {
  const parents = (document.documentElement.dataset.parents ?? '').split(' ')
  awaitOpening(parents, (opening, parent) => {
    const frame = new Frame(details, parent)
    frame.configure(opening)
    return (message) => frame.hear(message)
  })
}

class Frame {
  readonly #details: Details
  readonly #parent: Parent
  readonly #form = byId('fields', HTMLFormElement)
  /** Fields whose mistakes are shown, because they lost the focus or a token was requested. */
  readonly #judged = new Set<string>()
  /** What was last written to each field, by id. */
  readonly #written = new Map<string, string>()
  #texts = frame_texts.en
  /** Since a token was last requested. */
  #edited = true
  /** The field that gets the focus when the frame does, until something is typed or another field has it. */
  #awaiting_focus: string | null = null
  /** An error that no single field is to blame for. */
  #refusal: FieldsError | null = null
  /** What the element knows, as JSON. */
  #last_change: string

  constructor(details: Details, parent: Parent) {
    this.#details = details
    this.#parent = parent
    this.#last_change = JSON.stringify(this.#state())
    for (const field of details.fields) this.#listen(field)
    this.#form.addEventListener('submit', (event) => event.preventDefault())
    this.#form.addEventListener('keydown', ({ key, repeat, isComposing }) => {
      if (key === 'Enter' && !repeat && !isComposing) parent.say({ type: 'submit' })
    })
    this.#form.addEventListener('focusin', ({ target }) => {
      if (target instanceof Element && target.id !== this.#awaiting_focus) this.#awaiting_focus = null
      parent.say({ type: 'focus' })
    })
    this.#form.addEventListener('focusout', () => parent.say({ type: 'blur' }))
    window.addEventListener('focus', () => this.#takeFocus())
    new ResizeObserver(() => this.#measure()).observe(this.#form)
  }

  hear(message: ToFrame): void {
    if (message.type === 'configure') this.configure(message)
    else if (message.type === 'tokenize') void this.#tokenize(message)
    else if (message.type === 'focus') this.#focus()
    else if (message.type === 'clear') this.#clear()
    else if (message.type === 'refuse')
      this.#refuse({ field: null, code: 'refused', message: message.message })
  }

  configure({ locale, theme, color_scheme, disabled }: Appearance): void {
    const { documentElement: root } = document
    root.lang = locale
    root.style.colorScheme = color_scheme
    this.#texts = frame_texts[locale] ?? frame_texts.en
    for (const [name, property] of Object.entries(theme_properties)) {
      const value = theme[name]
      if (value !== undefined && CSS.supports(property, value)) root.style.setProperty(name, value)
      else root.style.removeProperty(name)
    }
    for (const element of document.querySelectorAll<HTMLElement>('[data-text]'))
      element.textContent = this.#texts[element.dataset.text as FrameText]
    for (const { id, placeholder } of this.#details.fields) {
      inputOf(id).disabled = disabled
      inputOf(id).placeholder = placeholder ? this.#texts[placeholder] : ' '
    }
    this.#form.hidden = false
    this.#update()
    // A field that was disabled when it was to get the focus did not get it.
    if (document.hasFocus()) this.#takeFocus()
  }

  #listen({ id, format, tidy }: Field): void {
    const input = inputOf(id)
    const onEdit = (event: Event) => {
      const typed = event instanceof InputEvent ? event : null
      // Text that an input method is composing belongs to the browser: rewritten, it would be composed a second time.
      if (!typed?.isComposing) this.#write(id, format, typed?.inputType ?? '')
      this.#noteEdit()
      this.#judged.delete(id)
      this.#refusal = null
      this.#update()
    }
    input.addEventListener('input', onEdit)
    input.addEventListener('compositionend', onEdit)
    input.addEventListener('blur', () => {
      if (tidy && input.value !== '') input.value = tidy(input.value)
      this.#written.set(id, input.value)
      if (input.value !== '') this.#judged.add(id)
      this.#update()
    })
  }

  #noteEdit(): void {
    this.#edited = true
    this.#awaiting_focus = null
    this.#parent.say({ type: 'edited' })
  }

  #write(id: string, format: Format, input_type: string): void {
    const input = inputOf(id)
    const edited = { value: input.value, caret: input.selectionStart ?? input.value.length, input_type }
    const { value, caret } = rewrite(format, this.#written.get(id) ?? '', edited)
    if (value !== input.value) input.value = value
    if (document.activeElement === input) input.setSelectionRange(caret, caret)
    this.#written.set(id, value)
  }

  async #tokenize({ id, known }: Extract<ToFrame, { type: 'tokenize' }>): Promise<void> {
    for (const field of this.#details.fields) this.#judged.add(field.id)
    this.#refusal = null
    this.#update()
    const wrong = this.#firstError()
    if (wrong) {
      this.#focus()
      return this.#parent.say({ type: 'refused', id, error: wrong })
    }
    // Only the frame knows for certain: its message about an edit may still be on its way.
    if (known !== null && !this.#edited) return this.#parent.say({ type: 'token', id, token: known })
    this.#edited = false
    const inputs = this.#details.fields.map((field) => inputOf(field.id))
    for (const input of inputs) input.readOnly = true
    const answer = await askForToken(this.#details.body())
    for (const input of inputs) input.readOnly = false
    if (answer.token !== null) return this.#parent.say({ type: 'token', id, token: answer.token })
    const { code } = answer
    const message =
      code === 'test_details_only'
        ? this.#texts[this.#details.test_details_only]
        : (answer.message ?? this.#texts.unavailable)
    const error = { field: null, code, message }
    this.#refuse(error)
    this.#focus()
    this.#parent.say({ type: 'refused', id, error })
  }

  #refuse(error: FieldsError): void {
    this.#refusal = error
    this.#update()
  }

  #clear(): void {
    for (const { id } of this.#details.fields) inputOf(id).value = ''
    this.#noteEdit()
    this.#written.clear()
    this.#judged.clear()
    this.#refusal = null
    this.#update()
  }

  /** Focuses the first field that is wrong or empty, else the first, once the element has given the frame the focus. */
  #focus(): void {
    const { fields } = this.#details
    const wrong = fields.find((field) => this.#problemOf(field) !== null) ?? fields[0]
    this.#awaiting_focus = wrong?.id ?? null
    if (document.hasFocus()) this.#takeFocus()
  }

  /** The element's message and the browser's focus event come in either order; the event may take the focus from its field. */
  #takeFocus(): void {
    if (this.#awaiting_focus !== null) inputOf(this.#awaiting_focus).focus()
  }

  /** Shows what is wrong, and tells the element what has changed. */
  #update(): void {
    for (const field of this.#details.fields) {
      const shown = this.#shownError(field)
      say(`${field.id}-error`, shown?.message ?? '')
      inputOf(field.id).setAttribute('aria-invalid', String(shown !== null))
    }
    say('refusal', this.#refusal?.message ?? '')
    this.#details.show?.(this.#texts)
    const state = this.#state()
    const change = JSON.stringify(state)
    if (change !== this.#last_change) this.#parent.say({ type: 'change', ...state })
    this.#last_change = change
    this.#measure()
  }

  #state(): FieldsChange {
    const { fields, brand } = this.#details
    return {
      complete: fields.every((field) => this.#problemOf(field) === null),
      empty: fields.every(({ id }) => textOf(id) === ''),
      brand: brand?.() ?? null,
      error: this.#firstError() ?? this.#refusal,
    }
  }

  #firstError(): FieldsError | null {
    for (const field of this.#details.fields) {
      const error = this.#shownError(field)
      if (error) return error
    }
    return null
  }

  #shownError(field: Field): FieldsError | null {
    const problem = this.#problemOf(field)
    if (problem === null || !(problem.final || this.#judged.has(field.id))) return null
    return { field: field.id, code: problem.code, message: this.#texts[problem.code] }
  }

  #problemOf(field: Field): Problem | null {
    const around: Around = { text: textOf, now: new Date() }
    return field.check(textOf(field.id), around)
  }

  #measure(): void {
    this.#parent.say({ type: 'height', height: Math.ceil(this.#form.getBoundingClientRect().height) })
  }
}
