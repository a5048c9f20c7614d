/** How a field writes what is typed into it. */
export interface Format {
  /**
   * The significant part of a text: its digits in ASCII, and a slash between those that belong apart. The rest is only how
   * it is written. `meant`: typed at the end, pasted or filled in, so that what it leaves out may be added.
   */
  content(text: string, meant: boolean): string
  /** `growing`: more is being typed at its end, so that a gap may be put ahead of it. */
  write(content: string, growing: boolean): string
}

export interface Edited {
  value: string
  /** Where the caret is, in UTF-16 code units from the start. */
  caret: number
}

/**
 * Rewrites a field after an edit. The caret stays behind the digit it was behind, so that the middle can be edited; deleting
 * only a gap deletes the digit beyond it. `input_type` is the browser's: `insertText`.
 */
export function rewrite(
  format: Format,
  before: string,
  { value, caret, input_type }: Edited & { input_type: string },
): Edited {
  const deleting = input_type.startsWith('delete')
  const growing = !deleting && caret === value.length
  let content = format.content(value, growing)
  // A full field takes no more in its middle: otherwise digits would be pushed out at its end.
  if (input_type === 'insertText' && !growing && asciiDigits(value).length > asciiDigits(content).length)
    return { value: before, caret: Math.max(caret - 1, 0) }
  const head = format.content(value.slice(0, caret), growing)
  let ahead = asciiDigits(head).length
  if (deleting && value.length < before.length && asciiDigits(value) === asciiDigits(before)) {
    const gone = input_type.endsWith('Forward') ? ahead : ahead - 1
    content = format.content(withoutDigit(content, gone), false)
    ahead = Math.max(Math.min(ahead, gone), 0)
  }
  const written = format.write(content, growing)
  const over_gap = !deleting && /\D$/.test(format.write(head, true))
  return { value: written, caret: placeAfter(written, ahead, over_gap) }
}

function withoutDigit(content: string, gone: number): string {
  let place = -1
  return content.replace(/\d/g, (digit) => {
    place += 1
    return place === gone ? '' : digit
  })
}

/** Digits of any script that a keyboard has (full-width, Arabic, Persian), as ASCII; all else is left out. */
export function asciiDigits(text: string): string {
  return withAsciiDigits(text).replace(/[^0-9]/g, '')
}

/** The same with all else as it is. */
export function withAsciiDigits(text: string): string {
  return text.normalize('NFKC').replace(/[٠-٩۰-۹]/g, (digit) => String(digit.charCodeAt(0) & 15))
}

/** Behind the given number of digits, and behind the gap after them where typing goes on. */
function placeAfter(written: string, digits: number, over_gap: boolean): number {
  let place = 0
  for (let seen = 0; seen < digits && place < written.length; place += 1) {
    if (/\d/.test(written.charAt(place))) seen += 1
  }
  const gap = over_gap && digits > 0 ? (/^\D*/.exec(written.slice(place))?.[0].length ?? 0) : 0
  return place + gap
}
