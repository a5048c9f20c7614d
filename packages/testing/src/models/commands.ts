import {
  advanceClock,
  attempt,
  deleteEndpoint,
  failDeliveries,
  passTime,
  reconcile,
  registerEndpoint,
  resendEvent,
  updateEndpoint,
} from './announcing.ts'
import { expireCheckout, openPage, payPage } from './checking-out.ts'
import {
  cancelSession,
  collect,
  confirmSession,
  createMethod,
  detachMethod,
  openSession,
} from './collecting.ts'
import {
  changeInvoice,
  draftInvoice,
  payInvoice,
  payInvoiceOnPage,
  sendNewInvoice,
  writeOff,
} from './invoicing.ts'
import { happens, pay, payByMethod, payBySession } from './paying.ts'
import { decideRefund, refundPayment } from './refunding.ts'

/** Every step by its name: to run one from a step of your own, or to draw its arguments otherwise. */
export const commands = {
  cancelSession,
  collect,
  confirmSession,
  createMethod,
  detachMethod,
  openSession,
  happens,
  pay,
  payByMethod,
  payBySession,
  decideRefund,
  refundPayment,
  expireCheckout,
  openPage,
  payPage,
  changeInvoice,
  draftInvoice,
  payInvoice,
  payInvoiceOnPage,
  sendNewInvoice,
  writeOff,
  advanceClock,
  attempt,
  deleteEndpoint,
  failDeliveries,
  passTime,
  reconcile,
  registerEndpoint,
  resendEvent,
  updateEndpoint,
} as const
