import type { Flow } from './flow.ts'
import { backOffice } from './flows/back-office.ts'
import { charges } from './flows/charges.ts'
import { methods } from './flows/methods.ts'
import { pages } from './flows/pages.ts'
import { refunds } from './flows/refunds.ts'
import { webhooks } from './flows/webhooks.ts'

export const flows: readonly Flow[] = [
  ...charges,
  ...refunds,
  ...pages,
  ...methods,
  ...webhooks,
  ...backOffice,
]

export function flowNamed(sentence: string): Flow {
  const flow = flows.find((one) => one.sentence === sentence)
  if (flow === undefined) throw new Error(`nothing ${sentence}`)
  return flow
}
