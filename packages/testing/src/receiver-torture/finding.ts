/** One thing that a receiver does wrong. */
export interface Finding {
  /** The rule, in a sentence. */
  rule: string
  sent: string
  expected: string
  /** What came back, or what the receiver did. */
  got: string
}
