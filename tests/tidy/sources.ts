import { posix } from 'node:path'
import ts from 'typescript'
import { filesBelow, readText } from '../../tools/packages.ts'

/** A TypeScript file as the rules see it. */
export interface Source {
  /** From the root: `packages/core/src/index.ts`. */
  path: string
  text: string
  tree: ts.SourceFile
  imports: Import[]
}

/** What a file imports or exports from another. */
export interface Import {
  /** The path from the root where it is relative, else as written. */
  target: string
  relative: boolean
  /** The names it takes; none where it takes all or nothing. */
  names: string[]
  /** Erased when it runs. */
  type_only: boolean
  line: number
}

/** Something against a rule: `packages/core/src/index.ts:12 …`. */
export type Violation = string

export type Rule = (sources: readonly Source[]) => Violation[]

/** Every TypeScript file of the house below these folders. */
export function readSources(folders: readonly string[]): Source[] {
  const paths = folders.flatMap((folder) => filesBelow(folder))
  const own = paths.filter((path) => /\.ts$/.test(path) && !/\/(node_modules|dist)\//.test(path))
  return own.map((path) => parseSource(path, readText(path)))
}

export function parseSource(path: string, text: string): Source {
  const tree = ts.createSourceFile(path, text, ts.ScriptTarget.ESNext, true)
  const imports = tree.statements.flatMap((statement) => importOf(path, tree, statement))
  return { path, text, tree, imports }
}

export function lineOf(tree: ts.SourceFile, position: number): number {
  return tree.getLineAndCharacterOfPosition(position).line + 1
}

export function at({ path, tree }: Source, node: ts.Node, what: string): Violation {
  return `${path}:${lineOf(tree, node.getStart(tree))} ${what}`
}

/** Calls `look` with every node of a file. */
export function walk(node: ts.Node, look: (node: ts.Node) => void): void {
  look(node)
  ts.forEachChild(node, (child) => walk(child, look))
}

function importOf(path: string, tree: ts.SourceFile, statement: ts.Statement): Import[] {
  const declaration =
    ts.isImportDeclaration(statement) || ts.isExportDeclaration(statement) ? statement : null
  const specifier = declaration?.moduleSpecifier
  if (!declaration || !specifier || !ts.isStringLiteral(specifier)) return []
  const relative = specifier.text.startsWith('.')
  const target = relative ? posix.join(posix.dirname(path), specifier.text) : specifier.text
  return [
    {
      target,
      relative,
      names: namesOf(declaration),
      type_only: isTypeOnly(declaration),
      line: lineOf(tree, statement.getStart(tree)),
    },
  ]
}

function namesOf(declaration: ts.ImportDeclaration | ts.ExportDeclaration): string[] {
  const named = ts.isExportDeclaration(declaration)
    ? declaration.exportClause
    : declaration.importClause?.namedBindings
  if (!named || !(ts.isNamedExports(named) || ts.isNamedImports(named))) return []
  return named.elements.map(({ propertyName, name }) => (propertyName ?? name).text)
}

function isTypeOnly(declaration: ts.ImportDeclaration | ts.ExportDeclaration): boolean {
  if (ts.isExportDeclaration(declaration)) {
    const { exportClause } = declaration
    const named = exportClause !== undefined && ts.isNamedExports(exportClause) ? exportClause.elements : []
    return declaration.isTypeOnly || (named.length > 0 && named.every((element) => element.isTypeOnly))
  }
  const clause = declaration.importClause
  if (!clause) return false
  if (clause.phaseModifier === ts.SyntaxKind.TypeKeyword) return true
  const { namedBindings } = clause
  if (clause.name || !namedBindings || !ts.isNamedImports(namedBindings)) return false
  return namedBindings.elements.length > 0 && namedBindings.elements.every((element) => element.isTypeOnly)
}
