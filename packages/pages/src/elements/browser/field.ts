import type { FrameText } from './frame-texts.ts'
import type { Format } from './typed-text.ts'

/** One field of a frame, apart from the page it is on. */
export interface Field {
  /** The id of its input, too. */
  id: string
  format: Format
  placeholder?: FrameText
  /** What is wrong with it; null when it is right. */
  check(text: string, around: Around): Problem | null
  /** How it is written once it is left. */
  tidy?(text: string): string
}

export interface Around {
  /** What stands in the other fields, by id. */
  text(id: string): string
  now: Date
}

export interface Problem {
  code: Extract<FrameText, `${string}_${'incomplete' | 'invalid' | 'past'}`>
  /** Typing more does not mend it: it is said while typing. */
  final: boolean
}
