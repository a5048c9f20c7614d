import { type OperationName, operationNamed } from '@quittance/core'
import { routes } from '../../src/routes.ts'

/** A place in a body that text can be put into, whatever belongs there. */
export interface TextField {
  /** As `error.param` names it. */
  name: string
  /** The body with the text there. */
  write(body: object, text: string): object
  /** What stands there in an answer; undefined where it does not show this field. */
  read(body: object): unknown
}

/** What this file reads of a zod schema. */
interface Schema {
  readonly def: {
    readonly type: string
    readonly innerType?: Schema
    readonly element?: Schema
    readonly in?: Schema
  }
  readonly shape?: Readonly<Record<string, Schema>>
}

/** Every field of what an operation takes as its body, from its own schema. */
export function textFieldsOf(operation: OperationName): TextField[] {
  const in_path = routes.find((route) => route.operation === operation)?.path.match(/\{(\w+)\}/)?.[1]
  const schema: unknown = operationNamed(operation).input
  return fieldsIn(schema as Schema, []).filter(({ name }) => name !== in_path)
}

type Path = readonly (string | number)[]

/** Stands for a key of a record: there the text itself is the key. */
const key = '[key]'

function fieldsIn(schema: Schema, path: Path): TextField[] {
  const { type, innerType, element, in: input } = schema.def
  const inner = innerType ?? input
  if (inner !== undefined) return fieldsIn(inner, path)
  if (type === 'record') return [fieldAt([...path, 'a key']), fieldAt([...path, key])]
  if (element !== undefined) return fieldsIn(element, [...path, 0])
  if (schema.shape === undefined) return [fieldAt(path)]
  return Object.entries(schema.shape).flatMap(([name, field]) => fieldsIn(field, [...path, name]))
}

function fieldAt(path: Path): TextField {
  return {
    name: path
      .map((step, n) => (typeof step === 'number' ? `[${step}]` : n === 0 ? step : `.${step}`))
      .join(''),
    write: (body, text) => written(body, path, text) as object,
    read: (body) =>
      path.reduce<unknown>((value, step) => (step === key ? keyOf(value) : own(value, step)), body),
  }
}

function written(value: unknown, [step, ...rest]: Path, text: string): unknown {
  if (step === undefined) return text
  if (step === key) return Object.fromEntries([[text, 'a value']])
  const inner = written(own(value, step), rest, text)
  if (typeof step === 'number') return [inner, ...(Array.isArray(value) ? value.slice(1) : [])]
  return { ...(typeof value === 'object' ? value : {}), [step]: inner }
}

function own(value: unknown, step: string | number): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined
  return Reflect.get(value, step)
}

function keyOf(value: unknown): string | undefined {
  return typeof value === 'object' && value !== null ? Object.keys(value)[0] : undefined
}
