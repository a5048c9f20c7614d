/**
 * The protocol between an element and the page in its frame. Our own frames speak it, and so can a processor's page with
 * hosted fields: its address (`frame="https://…"`) is all that the element needs to know.
 *
 * 1. When the frame has loaded, the element posts one `Opening` to it, for the frame's own origin only, with a
 *    `MessagePort`. The page takes it once, from its parent window only, and only from an origin on its list.
 * 2. All else goes through that port, and nothing of it is ever a number, an expiry or a security code.
 * 3. The page answers `ready`. If it has not within 5 seconds of its load, the payer is told that the fields could not be
 *    loaded, until it does. A page that loads again is opened again, with a new port.
 */
export interface Opening extends Appearance {
  type: 'quittance:open'
  version: 1
}

/** How the fields look, their language, and whether they can be used. Sent again whenever it changes. */
export interface Appearance {
  locale: Locale
  /** Custom properties by name: `--quittance-color-text`. Empty ones are left out; the page uses those that it knows. */
  theme: Record<string, string>
  /** The `color-scheme` that the element is shown in. */
  color_scheme: string
  disabled: boolean
}

export type Locale = 'en' | 'fr' | 'es'

/** From the element. Each `tokenize` is answered once, by its `id`. */
export type ToFrame =
  | ({ type: 'configure' } & Appearance)
  /** If `known` is a token, and nothing was edited since the last request for one, it is the answer. */
  | { type: 'tokenize'; id: number; known: string | null }
  /** Focuses the first field that is wrong or empty, else the first. The element focuses the frame itself. */
  | { type: 'focus' }
  | { type: 'clear' }
  /** Shows a refusal of the API below the fields, in these words. */
  | { type: 'refuse'; message: string }

/** From the frame. */
export type FromFrame =
  | { type: 'ready' }
  /** What is typed has changed: an earlier token no longer stands for it. */
  | { type: 'edited' }
  /** The state that the page may know has changed. */
  | ({ type: 'change' } & FieldsChange)
  /** The height of the fields, in CSS pixels, to which the element sets its frame's. */
  | { type: 'height'; height: number }
  | { type: 'focus' | 'blur' }
  /** Enter was pressed in a field. */
  | { type: 'submit' }
  | { type: 'token'; id: number; token: string }
  | { type: 'refused'; id: number; error: FieldsError }

/** What the page around an element may know of what is typed in it. */
export interface FieldsChange {
  complete: boolean
  empty: boolean
  /** Of a card, as far as its first digits tell: `visa`, `mastercard`, `amex`, `discover`, `diners`, `jcb`, `unionpay`. */
  brand: string | null
  error: FieldsError | null
}

/** `field` is null where no field is to blame. The message is in the element's language, for the payer. */
export interface FieldsError {
  field: string | null
  code: string
  message: string
}
