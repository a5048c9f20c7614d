import ts from 'typescript'
import { readPackages, readText } from '../packages.ts'

/** The names that each package exports, by entry point: what a release promises. */
export function exportsDocument(): string {
  const entries = readPackages().flatMap(({ folder, file }) =>
    Object.entries(file.exports ?? {}).map(([subpath, conditions]) => {
      const source = `packages/${folder}/${(conditions['@quittance/source'] ?? '').replace('./', '')}`
      return [file.name + subpath.slice(1), exportedNames(source, readText(source))] as const
    }),
  )
  entries.sort(([one], [other]) => (one < other ? -1 : 1))
  return `${JSON.stringify(Object.fromEntries(entries), null, 2)}\n`
}

/** The names an entry point lists; a type is marked as one. */
export function exportedNames(path: string, text: string): string[] {
  const tree = ts.createSourceFile(path, text, ts.ScriptTarget.ESNext, true)
  return tree.statements.flatMap((statement) => namesOf(statement, tree)).sort()
}

function namesOf(statement: ts.Statement, tree: ts.SourceFile): string[] {
  if (ts.isExportDeclaration(statement)) {
    const { exportClause, isTypeOnly } = statement
    if (!exportClause || !ts.isNamedExports(exportClause))
      throw new Error(`${tree.fileName} has an export without names.`)
    return exportClause.elements.map((element) => marked(element.name.text, isTypeOnly || element.isTypeOnly))
  }
  const modifiers = ts.canHaveModifiers(statement) ? (ts.getModifiers(statement) ?? []) : []
  if (!modifiers.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)) return []
  if (ts.isVariableStatement(statement)) {
    return statement.declarationList.declarations.map(({ name }) => name.getText(tree))
  }
  if (ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement))
    return [marked(statement.name.text, true)]
  if (ts.isFunctionDeclaration(statement) || ts.isClassDeclaration(statement))
    return [statement.name?.text ?? 'default']
  return []
}

const marked = (name: string, is_type: boolean) => (is_type ? `type ${name}` : name)
