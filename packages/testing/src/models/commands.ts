import * as announcing from './announcing.ts'
import * as checking_out from './checking-out.ts'
import * as collecting from './collecting.ts'
import * as invoicing from './invoicing.ts'
import * as passing from './passing.ts'
import * as paying from './paying.ts'
import * as refunding from './refunding.ts'

/** Every step by its name: to run one from a step of your own, or to draw its arguments differently. */
export const commands = {
  ...collecting,
  ...paying,
  ...refunding,
  ...checking_out,
  ...invoicing,
  ...announcing,
  ...passing,
} as const
