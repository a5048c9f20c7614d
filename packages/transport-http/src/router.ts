import { decodeSegment } from './query.ts'

/** The route of a request's method and path, with the parameters from the path. */
export interface Matched<Route> {
  route: Route
  params: Record<string, string>
}

interface Node<Route> {
  literal: Map<string, Node<Route>>
  parameter: { name: string; node: Node<Route> } | null
  routes: Map<string, Route>
}

/** Finds routes by walking a path's segments once. Null for no route; the path may exist for another method. */
export function createRouter<Route extends { method: string; path: string }>(table: readonly Route[]) {
  const root = newNode<Route>()
  for (const route of table) {
    let node = root
    for (const segment of route.path.split('/').slice(1)) node = childOf(node, segment)
    node.routes.set(route.method, route)
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
    match(method: string, path: string): Matched<Route> | null {
      const found = find(path)
      const route = found?.node.routes.get(method)
      return found && route ? { route, params: found.params } : null
    },
    /** The routes of a path, whatever the method: for a CORS preflight, and for the methods that a 405 names. */
    at: (path: string): Route[] => [...(find(path)?.node.routes.values() ?? [])],
  }
}

export type Router<Route extends { method: string; path: string }> = ReturnType<typeof createRouter<Route>>

function newNode<Route>(): Node<Route> {
  return { literal: new Map(), parameter: null, routes: new Map() }
}

function childOf<Route>(node: Node<Route>, segment: string): Node<Route> {
  const name = /^\{(\w+)\}$/.exec(segment)?.[1]
  if (name !== undefined) {
    node.parameter ??= { name, node: newNode() }
    return node.parameter.node
  }
  const child = node.literal.get(segment) ?? newNode<Route>()
  node.literal.set(segment, child)
  return child
}
