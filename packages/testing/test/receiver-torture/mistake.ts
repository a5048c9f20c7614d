import type { rules } from './rules.ts'
import type { Steps } from './shop-receiver.ts'

type Rule = keyof typeof rules

/** A step done wrongly, and every rule that breaks. */
export interface Mistake {
  steps: Partial<Steps>
  breaks: readonly [Rule, ...Rule[]]
}
