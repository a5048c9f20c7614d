import type { OperationName } from '@quittance/core'

/** One line of the API: `{id}` in a path is the operation's parameter of that name. */
export interface Route {
  method: 'GET' | 'POST' | 'DELETE'
  path: string
  operation: OperationName
}

/** The route table: every path of the API, relative to the base path. */
export const routes: readonly Route[] = [
  { method: 'GET', path: '/account', operation: 'account.retrieve' },

  { method: 'GET', path: '/invoices', operation: 'invoices.list' },
  { method: 'GET', path: '/invoices/{id}', operation: 'invoices.retrieve' },

  { method: 'GET', path: '/customers', operation: 'customers.list' },
  { method: 'GET', path: '/customers/{id}', operation: 'customers.retrieve' },

  { method: 'POST', path: '/payment-method-sessions', operation: 'payment_method_sessions.create' },
  { method: 'GET', path: '/payment-method-sessions/{id}', operation: 'payment_method_sessions.retrieve' },
  {
    method: 'POST',
    path: '/payment-method-sessions/{id}/confirm',
    operation: 'payment_method_sessions.confirm',
  },
  {
    method: 'POST',
    path: '/payment-method-sessions/{id}/cancel',
    operation: 'payment_method_sessions.cancel',
  },

  { method: 'POST', path: '/payment-methods', operation: 'payment_methods.create' },
  { method: 'GET', path: '/payment-methods', operation: 'payment_methods.list' },
  { method: 'GET', path: '/payment-methods/{id}', operation: 'payment_methods.retrieve' },
  { method: 'POST', path: '/payment-methods/{id}/detach', operation: 'payment_methods.detach' },

  { method: 'POST', path: '/payments', operation: 'payments.create' },
  { method: 'GET', path: '/payments', operation: 'payments.list' },
  { method: 'GET', path: '/payments/{id}', operation: 'payments.retrieve' },

  { method: 'POST', path: '/refunds', operation: 'refunds.create' },
  { method: 'GET', path: '/refunds', operation: 'refunds.list' },
  { method: 'GET', path: '/refunds/{id}', operation: 'refunds.retrieve' },

  { method: 'POST', path: '/checkout-sessions', operation: 'checkout_sessions.create' },
  { method: 'GET', path: '/checkout-sessions', operation: 'checkout_sessions.list' },
  { method: 'GET', path: '/checkout-sessions/{id}', operation: 'checkout_sessions.retrieve' },
  { method: 'POST', path: '/checkout-sessions/{id}/expire', operation: 'checkout_sessions.expire' },

  { method: 'POST', path: '/webhook-endpoints', operation: 'webhook_endpoints.create' },
  { method: 'GET', path: '/webhook-endpoints', operation: 'webhook_endpoints.list' },
  { method: 'GET', path: '/webhook-endpoints/{id}', operation: 'webhook_endpoints.retrieve' },
  { method: 'POST', path: '/webhook-endpoints/{id}', operation: 'webhook_endpoints.update' },
  { method: 'DELETE', path: '/webhook-endpoints/{id}', operation: 'webhook_endpoints.delete' },

  { method: 'GET', path: '/events', operation: 'events.list' },
  { method: 'GET', path: '/events/{id}', operation: 'events.retrieve' },
  { method: 'POST', path: '/events/{id}/resend', operation: 'events.resend' },
]
