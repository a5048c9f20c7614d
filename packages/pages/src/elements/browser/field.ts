import type { FrameText } from './frame-texts.ts'
import type { Format } from './typed-text.ts'

/** One field of a frame, apart from the page it is on. */
export interface Field {
  /** Also the id of its input. */
  id: string
  format: Format
  placeholder?: FrameText
  /** What is wrong with it; null when it is right. */
  check(text: string, around: Around): Problem | null
  /** How its text is written once the field loses the focus. */
  tidy?(text: string): string
}

export interface Around {
  /** The text of another field, by id. */
  text(id: string): string
  now: Date
}

export interface Problem {
  code: Extract<FrameText, `${string}_${'incomplete' | 'invalid' | 'past'}`>
  /** Typing more cannot fix it, so it is shown while typing. */
  final: boolean
}
