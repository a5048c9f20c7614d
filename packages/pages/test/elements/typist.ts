import { type Edited, type Format, rewrite } from '../../src/elements/browser/typed-text.ts'

/** A field as a browser edits it, one key after the other, and our format writes it anew. */
export class Typist {
  readonly #format: Format
  value = ''
  caret = 0

  constructor(format: Format) {
    this.#format = format
  }

  /** Digits and separators as they are; `<` Backspace, `>` Delete, `[` caret to the left, `]` to the right. */
  press(keys: string): this {
    for (const key of keys) {
      if (key === '[') this.caret = Math.max(this.caret - 1, 0)
      else if (key === ']') this.caret = Math.min(this.caret + 1, this.value.length)
      else if (key === '<') this.#edit(Math.max(this.caret - 1, 0), this.caret, '', 'deleteContentBackward')
      else if (key === '>') this.#edit(this.caret, this.caret + 1, '', 'deleteContentForward')
      else this.#edit(this.caret, this.caret, key, 'insertText')
    }
    return this
  }

  paste(text: string): this {
    this.#edit(this.caret, this.caret, text, 'insertFromPaste')
    return this
  }

  /** In the place of all there is, as a browser fills a field in. */
  fill(text: string): this {
    this.#edit(0, this.value.length, text, '')
    return this
  }

  /** The value with the caret in it. */
  get shown(): string {
    return `${this.value.slice(0, this.caret)}|${this.value.slice(this.caret)}`
  }

  #edit(from: number, to: number, text: string, input_type: string): void {
    const value = this.value.slice(0, from) + text + this.value.slice(to)
    const edited: Edited = rewrite(this.#format, this.value, { value, caret: from + text.length, input_type })
    this.value = edited.value
    this.caret = edited.caret
  }
}
