import { err, ok, type Result } from '@quittance/core'
import { inTurns } from './in-turns.ts'

/**
 * Reads CSV (RFC 4180) into one object per record, by the names of the header. Stricter than most parsers: what two of
 * them could read differently is refused, with its line. Line ends are CRLF or LF.
 */
export async function parseCsv(text: string): Promise<Result<Record<string, string>[], string>> {
  try {
    return ok(await named(new Reader(text.replace(/^\uFEFF/, '')).lines()))
  } catch (refusal) {
    if (refusal instanceof Refusal) return err(refusal.message)
    throw refusal
  }
}

/** Thrown inside this file only. */
class Refusal extends Error {}

interface Line {
  fields: string[]
  line: number
}

async function named(lines: Generator<Line, undefined>): Promise<Record<string, string>[]> {
  const header = lines.next().value
  if (header === undefined) throw new Refusal('there is no header')
  const names = header.fields
  if (new Set(names).size < names.length || names.includes('')) {
    throw new Refusal('line 1: the header has a name twice or none')
  }
  const records: Record<string, string>[] = []
  await inTurns(lines, ({ fields, line }) => {
    if (fields.length !== names.length) {
      throw new Refusal(`line ${line}: ${fields.length} fields where the header has ${names.length}`)
    }
    records.push(Object.fromEntries(names.map((name, index) => [name, fields[index] ?? ''])))
  })
  return records
}

class Reader {
  readonly #text: string
  #at = 0
  #line = 1

  constructor(text: string) {
    this.#text = text
  }

  *lines(): Generator<Line, undefined> {
    while (this.#at < this.#text.length) {
      const line = this.#line
      const fields = [this.#field()]
      while (this.#take(',')) fields.push(this.#field())
      this.#endOfLine()
      yield { fields, line }
    }
  }

  #field(): string {
    return this.#text[this.#at] === '"' ? this.#quoted() : this.#plain()
  }

  #plain(): string {
    const start = this.#at
    while (this.#at < this.#text.length && !',\r\n'.includes(this.#text[this.#at] ?? '')) {
      if (this.#text[this.#at] === '"') this.#refuse('a quote inside a field that is not quoted')
      this.#at += 1
    }
    return this.#text.slice(start, this.#at)
  }

  #quoted(): string {
    const opened = this.#line
    let value = ''
    this.#at += 1
    for (;;) {
      const end = this.#text.indexOf('"', this.#at)
      if (end < 0) this.#refuse('a quote that is never closed', opened)
      const part = this.#text.slice(this.#at, end)
      this.#line += part.split('\n').length - 1
      value += part
      this.#at = end + 1
      if (!this.#take('"')) return value
      value += '"'
    }
  }

  #endOfLine(): void {
    if (this.#at >= this.#text.length) return
    this.#take('\r')
    if (!this.#take('\n')) this.#refuse('a field goes on after its quotes, or a line ends in CR alone')
    this.#line += 1
  }

  #take(character: string): boolean {
    if (this.#text[this.#at] !== character) return false
    this.#at += 1
    return true
  }

  #refuse(what: string, line = this.#line): never {
    throw new Refusal(`line ${line}: ${what}`)
  }
}
