import type { RefundAnswer, RefundState } from '../ports/processor.ts'
import type { RefundFailure } from './refund.ts'
import type { RefundTrigger } from './refund-machine.ts'

/** What the processor's answer to a refund, or its account of one, triggers. */
export function triggerOf(answer: RefundAnswer | RefundState): RefundTrigger {
  switch (answer.kind) {
    case 'succeeded':
      return { on: 'confirmed' }
    case 'pending':
      return { on: 'accepted' }
    case 'unanswered':
      return { on: 'unanswered' }
    case 'unreachable':
      return { on: 'unreachable', failure: neverSent }
    case 'refused':
      return { on: 'refused', failure: { code: answer.failure_code, message: answer.message } }
  }
  throw new Error('The processor tells of a refund in a state that the port does not know.')
}

export const neverSent: RefundFailure = {
  code: 'processor_unreachable',
  message: 'The refund never reached the processor.',
}
