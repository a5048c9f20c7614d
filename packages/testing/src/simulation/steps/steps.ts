import type { Client } from '../client.ts'
import { edit, flood, register, registerTooMany, resend } from './announcing.ts'
import { buy, buyAgain, buyTwice, detach, lastMoment, meddle } from './buying.ts'
import { dispute, invoice } from './invoicing.ts'
import { look, rotate, walk } from './reading.ts'
import { checkout, dashboard, lastCall, refund, visit } from './selling.ts'

/** What a client does: several requests, each of which can be lost, repeated or overlap with others. */
export type Step = (client: Client) => Promise<void>

/** Every step with how often it is drawn. */
const weighted: readonly [Step, weight: number][] = [
  [buy, 10],
  [buyTwice, 6],
  [buyAgain, 4],
  [meddle, 4],
  [lastMoment, 3],
  [detach, 2],
  [refund, 10],
  [dashboard, 4],
  [checkout, 6],
  [visit, 5],
  [lastCall, 4],
  [invoice, 6],
  [dispute, 3],
  [register, 6],
  [edit, 6],
  [resend, 4],
  [flood, 1],
  [walk, 3],
  [look, 2],
  [rotate, 2],
]

export const steps: readonly Step[] = weighted.flatMap(([step, weight]) => Array<Step>(weight).fill(step))

/** The steps on which most others build: every history draws one of them. */
export const openings: readonly Step[] = [buy, buy, buy, buyTwice, buyAgain, checkout]

/** Taken rarely: it makes seventeen requests. */
export const rare: Step = registerTooMany
