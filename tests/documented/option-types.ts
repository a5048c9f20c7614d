import ts from 'typescript'
import { readText } from '../../tools/packages.ts'

export interface Option {
  name: string
  type: string
  optional: boolean
}

/** The fields of an interface or object type, or of the object types that a function takes as parameters. */
export function optionsOf(path: string, declared: string): Option[] {
  const tree = ts.createSourceFile(path, readText(path), ts.ScriptTarget.ESNext, true)
  for (const statement of tree.statements) {
    if (ts.isInterfaceDeclaration(statement) && statement.name.text === declared)
      return statement.members.flatMap((member) => read(member, tree))
    if (ts.isTypeAliasDeclaration(statement) && statement.name.text === declared)
      return fieldsOf(statement.type, tree)
    if (ts.isFunctionDeclaration(statement) && statement.name?.text === declared)
      return statement.parameters.flatMap(({ type }) => (type ? fieldsOf(type, tree) : []))
  }
  throw new Error(`${path} declares no ${declared}.`)
}

/** Those written here: a name of another type stands for none. Nor does one that is `undefined` in a part of a union. */
function fieldsOf(type: ts.TypeNode, tree: ts.SourceFile): Option[] {
  if (ts.isTypeLiteralNode(type)) return type.members.flatMap((member) => read(member, tree))
  if (ts.isUnionTypeNode(type) || ts.isIntersectionTypeNode(type))
    return type.types.flatMap((part) => fieldsOf(part, tree))
  return ts.isParenthesizedTypeNode(type) ? fieldsOf(type.type, tree) : []
}

function read(member: ts.TypeElement, tree: ts.SourceFile): Option[] {
  const name = member.name?.getText(tree) ?? ''
  const optional = member.questionToken !== undefined
  if (ts.isPropertySignature(member)) {
    const type = typeOf(member, tree)
    return type === 'undefined' ? [] : [{ name, type, optional }]
  }
  if (!ts.isMethodSignature(member)) return []
  const parameters = member.parameters.map((parameter) => parameter.getText(tree)).join(', ')
  return [{ name, type: `(${parameters}) => ${member.type?.getText(tree)}`, optional }]
}

/** Without `undefined`, which every option may be (`undefined-options.test.ts`), and so without parentheses against it. */
function typeOf({ type }: ts.PropertySignature, tree: ts.SourceFile): string {
  const text = type?.getText(tree) ?? 'any'
  return text.replace(/^\((.*)\) \| undefined$/, '$1').replaceAll(' | undefined', '')
}
