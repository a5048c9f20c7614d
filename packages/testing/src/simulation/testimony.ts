import type { Book } from '../invariants/book.ts'
import type { Report } from '../invariants/moment.ts'
import type { Situation } from './situations.ts'
import type { Timeline } from './timeline.ts'
import type { Trace } from './trace.ts'

/** What a witness uses and reports to. */
export interface Testimony {
  readonly book: Book
  readonly timeline: Timeline
  readonly trace: Trace
  readonly report: Report
  saw(situation: Situation): void
}
