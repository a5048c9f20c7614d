import ts from 'typescript'
import { at, lineOf, type Rule, type Source, type Violation, walk } from './sources.ts'

const longest_file_lines = 250
const longest_function_lines = 60

export const longFiles: Rule = (sources) =>
  sources.flatMap(({ path, text }) => {
    const lines = text.split('\n').length - (text.endsWith('\n') ? 1 : 0)
    return lines > longest_file_lines ? [`${path}:${longest_file_lines + 1} the file has ${lines} lines`] : []
  })

/** A function's own lines: functions declared in it, and tests that it registers, are measured for themselves. */
export const longFunctions: Rule = eachNode((source, node) => {
  if (!ts.isFunctionLike(node) || !('body' in node) || node.body === undefined) return []
  const lines = linesOf(source, node) - linesInside(source, node.body)
  return lines > longest_function_lines ? [at(source, node, `the function has ${lines} lines`)] : []
})

/** Tests that do not run say nothing. */
export const unrunTests: Rule = eachNode((source, node) => {
  if (!ts.isPropertyAccessExpression(node)) return []
  const { name, expression } = node
  const skips = ['skip', 'only', 'todo', 'skipIf', 'runIf', 'fails'].includes(name.text)
  // Redis comes with no npm package: without one its tests are left out, loudly, and fail in CI.
  if (name.text === 'skipIf' && source.path === 'packages/webhooks/test/redis-server.ts') return []
  const of_a_test = /^(describe|it|test|suite|bench)\b/.test(expression.getText(source.tree))
  return skips && of_a_test ? [at(source, node, `${expression.getText(source.tree)}.${name.text}`)] : []
})

export const anyCasts: Rule = eachNode((source, node) => {
  const cast = ts.isAsExpression(node) || ts.isTypeAssertionExpression(node)
  return cast && node.type.kind === ts.SyntaxKind.AnyKeyword ? [at(source, node, 'a cast to any')] : []
})

const silencing =
  /@ts-(ignore|expect-error|nocheck)|biome-ignore|eslint-disable|v8 ignore|istanbul ignore|\bTODO\b|\bFIXME\b/

/** Comments that silence a tool, or put work off. */
export const silencingComments: Rule = (sources) =>
  sources.flatMap(({ path, text, tree }) =>
    commentsOf(tree).flatMap(({ pos, end }) => {
      const found = silencing.exec(text.slice(pos, end))
      return found ? [`${path}:${lineOf(tree, pos + found.index)} the comment says ${found[0]}`] : []
    }),
  )

/** Only what a package exports is listed in one place; inside it every file is imported by its own name. */
export const barrels: Rule = (sources) =>
  sources.flatMap((source) => {
    const reexports = source.tree.statements
      .filter(ts.isExportDeclaration)
      .filter((node) => node.moduleSpecifier)
    const barrel = reexports.length > 0 && reexports.length === source.tree.statements.length
    const entry = /^packages\/[^/]+\/src\/index\.ts$/.test(source.path)
    const stars = reexports.filter((node) => !node.exportClause)
    const misplaced = barrel && !entry && source.path !== neverthrow_home
    return [
      ...stars.map((node) => at(source, node, 'export * lists nothing')),
      ...(misplaced ? [`${source.path}:1 only re-exports`] : []),
    ]
  })

/** The one file that imports neverthrow, and so has nothing to do but to re-export it. */
const neverthrow_home = 'packages/core/src/kernel/result.ts'

export const neverthrowImports: Rule = (sources) =>
  sources.flatMap(({ path, imports }) =>
    imports
      .filter(({ target }) => target === 'neverthrow' && path !== neverthrow_home)
      .map(({ line }) => `${path}:${line} imports neverthrow`),
  )

function eachNode(look: (source: Source, node: ts.Node) => Violation[]): Rule {
  return (sources) =>
    sources.flatMap((source) => {
      const found: Violation[] = []
      walk(source.tree, (node) => found.push(...look(source, node)))
      return found
    })
}

function commentsOf(tree: ts.SourceFile): ts.CommentRange[] {
  const found = new Map<number, ts.CommentRange>()
  const visit = (node: ts.Node) => {
    const children = node.getChildren(tree)
    if (children.length > 0) return children.forEach(visit)
    const ranges = ts.getLeadingCommentRanges(tree.text, node.getFullStart()) ?? []
    for (const range of [...ranges, ...(ts.getTrailingCommentRanges(tree.text, node.end) ?? [])])
      found.set(range.pos, range)
  }
  visit(tree)
  return [...found.values()]
}

function linesOf({ tree }: Source, node: ts.Node): number {
  return lineOf(tree, node.end) - lineOf(tree, node.getStart(tree)) + 1
}

function linesInside(source: Source, node: ts.Node): number {
  if (ts.isFunctionDeclaration(node) || isTest(node, source)) return linesOf(source, node)
  let lines = 0
  ts.forEachChild(node, (child) => {
    lines += linesInside(source, child)
  })
  return lines
}

function isTest(node: ts.Node, { tree }: Source): boolean {
  return ts.isCallExpression(node) && /^(describe|it|test)\b/.test(node.expression.getText(tree))
}
