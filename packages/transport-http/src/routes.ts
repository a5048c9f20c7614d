import type { OperationName } from '@quittance/core'
import { decodeSegment } from './query.ts'

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

/** The route of a request's method and path, with the parameters from the path. */
export interface Matched<Target> {
  route: Target
  params: Record<string, string>
}

interface Node<Target> {
  literal: Map<string, Node<Target>>
  parameter: { name: string; node: Node<Target> } | null
  targets: Map<string, Target>
}

/** Finds routes by walking a path's segments once. Null for no route; the path may exist for another method. */
export function createRouter<Target extends { method: string; path: string }>(table: readonly Target[]) {
  const root = newNode<Target>()
  for (const route of table) {
    let node = root
    for (const segment of route.path.split('/').slice(1)) node = childOf(node, segment)
    node.targets.set(route.method, route)
  }

  const find = (path: string) => {
    const params: Record<string, string> = {}
    let node = root
    for (const segment of path.split('/').slice(1)) {
      const next = node.literal.get(segment)
      if (next) {
        node = next
        continue
      }
      const value = node.parameter ? decodeSegment(segment) : null
      if (!node.parameter || !value) return null
      params[node.parameter.name] = value
      node = node.parameter.node
    }
    return { node, params }
  }

  return {
    match(method: string, path: string): Matched<Target> | null {
      const found = find(path)
      const route = found?.node.targets.get(method)
      return found && route ? { route, params: found.params } : null
    },
    /** The routes of a path, whatever the method, for a CORS preflight. */
    at: (path: string): Target[] => [...(find(path)?.node.targets.values() ?? [])],
  }
}

export type Router<Target extends { method: string; path: string }> = ReturnType<typeof createRouter<Target>>

function newNode<Target>(): Node<Target> {
  return { literal: new Map(), parameter: null, targets: new Map() }
}

function childOf<Target>(node: Node<Target>, segment: string): Node<Target> {
  const name = /^\{(\w+)\}$/.exec(segment)?.[1]
  if (name !== undefined) {
    node.parameter ??= { name, node: newNode() }
    return node.parameter.node
  }
  const child = node.literal.get(segment) ?? newNode<Target>()
  node.literal.set(segment, child)
  return child
}
