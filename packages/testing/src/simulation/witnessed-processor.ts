import type { Processor } from '@quittance/core'
import { withOwn } from '../ports/around.ts'
import type { Bank } from './bank.ts'
import { unknownIn } from './known-answers.ts'
import type { Witness } from './witness.ts'

/** The processor itself, before any network: its requests and answers are witnessed. */
export function witnessedProcessor(bank: Bank, { money, notifications, report }: Witness): Processor {
  const { processor } = bank
  return withOwn(processor, {
    verify: async (request) => known('verify', await processor.verify(request), unknownIn.verify),
    charge: async (request) => {
      money.charging(bank, request)
      return known('charge', await processor.charge(request), unknownIn.charge)
    },
    refund: async (request) => {
      const refunded = money.refunding(bank, request)
      const answer = await processor.refund(request)
      refunded()
      return known('refund', answer, unknownIn.refund)
    },
    void: async (request) => known('void', await processor.void(request), unknownIn.void),
    lookup: async (request) => {
      money.lookingUp(request)
      const found = known('lookup', await processor.lookup(request), unknownIn.lookup)
      money.lookedUp(request, found)
      return found
    },
    notifications: async (request) => {
      const page = known('notifications', await processor.notifications(request), unknownIn.notifications)
      notifications.tells(bank, page.notifications)
      return page
    },
  })

  /** M7: an answer that the port does not know is no evidence. The engine would treat it as no answer. */
  function known<Answer>(call: string, answer: Answer, unknown: (answer: Answer) => string | null): Answer {
    const told = unknown(answer)
    if (told === null) return answer
    const detail = `the processor's ${call} answered ${told}, which the port does not know`
    report('M7', detail)
    throw new TypeError(detail)
  }
}
