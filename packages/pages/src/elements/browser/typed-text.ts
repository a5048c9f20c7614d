/** How a field writes what is typed into it. */
export interface Format {
  /** What counts of a text, in ASCII digits: the rest is how it is written. */
  digits(text: string): string
  /** `growing`: more is being typed at its end, so that a gap may be put ahead of it. */
  write(digits: string, growing: boolean): string
}

export interface Edited {
  value: string
  /** Where the caret stands, in UTF-16 code units from the start. */
  caret: number
}

/**
 * Writes a field anew after an edit. The caret stays behind the digit it was behind, so that the middle can be edited;
 * deleting what is only a gap deletes the digit beyond it, and what the format adds of itself comes back. `input_type` is
 * the browser's: `insertText`.
 */
export function rewrite(
  format: Format,
  before: string,
  { value, caret, input_type }: Edited & { input_type: string },
): Edited {
  const deleting = input_type.startsWith('delete')
  let digits = format.digits(value)
  // A full field takes no more: what it holds must not be pushed out at its end.
  if (input_type === 'insertText' && asciiDigits(value).length > digits.length)
    return { value: before, caret: Math.max(caret - 1, 0) }
  let ahead = Math.min(format.digits(value.slice(0, caret)).length, digits.length)
  const was_gap = value.length < before.length && asciiDigits(value) === asciiDigits(before)
  if (deleting && was_gap) {
    const gone = input_type.endsWith('Forward') ? ahead : ahead - 1
    digits = format.digits(digits.slice(0, Math.max(gone, 0)) + digits.slice(gone + 1))
    ahead = Math.max(Math.min(ahead, gone), 0)
  }
  const written = format.write(digits, !deleting && caret === value.length)
  return { value: written, caret: placeAfter(written, ahead, !deleting) }
}

/** Digits of any script that a keyboard has (full-width, Arabic, Persian), as ASCII; all else is left out. */
export function asciiDigits(text: string): string {
  const plain = text.normalize('NFKC').replace(/[٠-٩۰-۹]/g, (digit) => String(digit.charCodeAt(0) & 15))
  return plain.replace(/[^0-9]/g, '')
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
