import { createCheckoutSession } from '../checkout-sessions/create-checkout-session.ts'
import { expireCheckoutSession } from '../checkout-sessions/expire-checkout-session.ts'
import { listCheckoutSessions } from '../checkout-sessions/list-checkout-sessions.ts'
import { payCheckoutSession } from '../checkout-sessions/pay-checkout-session.ts'
import { retrieveCheckoutSession } from '../checkout-sessions/retrieve-checkout-session.ts'
import { listCustomers } from '../customers/list-customers.ts'
import { retrieveCustomer } from '../customers/retrieve-customer.ts'
import { listEvents } from '../events/list-events.ts'
import { resendEvent } from '../events/resend-event.ts'
import { retrieveEvent } from '../events/retrieve-event.ts'
import { listInvoices } from '../invoices/list-invoices.ts'
import { payInvoice } from '../invoices/pay-invoice.ts'
import { retrieveInvoice } from '../invoices/retrieve-invoice.ts'
import type { Operation } from '../kernel/operation.ts'
import { cancelPaymentMethodSession } from '../payment-method-sessions/cancel-payment-method-session.ts'
import { confirmPaymentMethodSession } from '../payment-method-sessions/confirm-payment-method-session.ts'
import { createPaymentMethodSession } from '../payment-method-sessions/create-payment-method-session.ts'
import { retrievePaymentMethodSession } from '../payment-method-sessions/retrieve-payment-method-session.ts'
import { createPaymentMethod } from '../payment-methods/create-payment-method.ts'
import { detachPaymentMethod } from '../payment-methods/detach-payment-method.ts'
import { listPaymentMethods } from '../payment-methods/list-payment-methods.ts'
import { retrievePaymentMethod } from '../payment-methods/retrieve-payment-method.ts'
import { createPayment } from '../payments/create-payment.ts'
import { listPayments } from '../payments/list-payments.ts'
import { retrievePayment } from '../payments/retrieve-payment.ts'
import { createRefund } from '../refunds/create-refund.ts'
import { listRefunds } from '../refunds/list-refunds.ts'
import { retrieveRefund } from '../refunds/retrieve-refund.ts'
import { createEndpoint } from '../webhook-endpoints/create-endpoint.ts'
import { deleteEndpoint } from '../webhook-endpoints/delete-endpoint.ts'
import { listEndpoints } from '../webhook-endpoints/list-endpoints.ts'
import { retrieveEndpoint } from '../webhook-endpoints/retrieve-endpoint.ts'
import { updateEndpoint } from '../webhook-endpoints/update-endpoint.ts'
import { retrieveAccount } from '../workspaces/retrieve-account.ts'

/** Every operation of the API, and the payments on our pages (`pay`): the table of contents of the product. */
export const operations = {
  account: { retrieve: retrieveAccount },
  invoices: { retrieve: retrieveInvoice, list: listInvoices, pay: payInvoice },
  customers: { retrieve: retrieveCustomer, list: listCustomers },
  payment_method_sessions: {
    create: createPaymentMethodSession,
    retrieve: retrievePaymentMethodSession,
    confirm: confirmPaymentMethodSession,
    cancel: cancelPaymentMethodSession,
  },
  payment_methods: {
    create: createPaymentMethod,
    retrieve: retrievePaymentMethod,
    list: listPaymentMethods,
    detach: detachPaymentMethod,
  },
  payments: { create: createPayment, retrieve: retrievePayment, list: listPayments },
  refunds: { create: createRefund, retrieve: retrieveRefund, list: listRefunds },
  checkout_sessions: {
    create: createCheckoutSession,
    retrieve: retrieveCheckoutSession,
    list: listCheckoutSessions,
    expire: expireCheckoutSession,
    pay: payCheckoutSession,
  },
  webhook_endpoints: {
    create: createEndpoint,
    retrieve: retrieveEndpoint,
    list: listEndpoints,
    update: updateEndpoint,
    delete: deleteEndpoint,
  },
  events: { retrieve: retrieveEvent, list: listEvents, resend: resendEvent },
} as const satisfies Record<string, Record<string, Operation>>

type Operations = typeof operations

/** `payments.create`, `events.resend`, … */
export type OperationName = {
  [Resource in keyof Operations]: `${Resource}.${keyof Operations[Resource] & string}`
}[keyof Operations]

const byName = new Map<string, Operation>(
  Object.entries(operations).flatMap(([resource, verbs]) =>
    Object.entries<Operation>(verbs).map(([verb, operation]) => [`${resource}.${verb}`, operation] as const),
  ),
)

export const operationNames = [...byName.keys()] as OperationName[]

/** Whether requests of this name, as a key has it, ask the processor. Test helpers, which are no operations, do not. */
export function isRemote(name: string): boolean {
  return byName.get(name)?.kind === 'remote'
}

/** Throws if there is none of this name. */
export function operationNamed(name: string): Operation {
  const operation = byName.get(name)
  if (!operation) throw new Error(`There is no operation ${name}.`)
  return operation
}
