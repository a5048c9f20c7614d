import ts from 'typescript'
import { at, type Rule, walk } from './sources.ts'

/** Time, chance and timers come in through ports, so that a test can hold them. */
const guarded = /^packages\/(core|webhooks)\/src\//

/** Where the real ones are, and why. */
export const exempt: Record<string, string> = {
  'packages/core/src/ports/clock.ts': 'the default clock',
  'packages/core/src/ports/ids.ts': 'the default source of ids',
}

const banned_calls = new Set([
  'Date.now',
  'performance.now',
  'Math.random',
  'crypto.randomUUID',
  'randomUUID',
  'setTimeout',
  'globalThis.setTimeout',
  'setInterval',
  'globalThis.setInterval',
])

export const bannedCalls: Rule = (sources) =>
  sources
    .filter(({ path }) => guarded.test(path) && !(path in exempt))
    .flatMap((source) => {
      const found: string[] = []
      walk(source.tree, (node) => {
        const name = nameOf(node, source.tree)
        if (name !== null) found.push(at(source, node, `calls ${name}`))
      })
      return found
    })

function nameOf(node: ts.Node, tree: ts.SourceFile): string | null {
  if (ts.isNewExpression(node)) {
    const now = node.expression.getText(tree) === 'Date' && (node.arguments?.length ?? 0) === 0
    return now ? 'new Date()' : null
  }
  // Handed on, it is called elsewhere: the name is what counts, not the parentheses.
  if (ts.isPropertyAccessExpression(node)) {
    const name = node.getText(tree)
    return banned_calls.has(name) ? name : null
  }
  if (!ts.isIdentifier(node) || !banned_calls.has(node.text)) return null
  const of_an_object = ts.isPropertyAccessExpression(node.parent) && node.parent.name === node
  return of_an_object ? null : node.text
}
