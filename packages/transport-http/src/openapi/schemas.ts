import { type OperationName, operationNamed } from '@quittance/core'
import { ofSpecification, type SchemaName, words } from './vocabulary.ts'

/** A JSON Schema, or any other part of the document. */
export interface Json {
  [key: string]: unknown
}

/** Where to find each named schema: an operation's output, and the path inside it. */
const named: Readonly<Record<SchemaName, readonly [OperationName, ...path: string[]]>> = {
  Account: ['account.retrieve'],
  Invoice: ['invoices.retrieve'],
  InvoiceList: ['invoices.list'],
  Customer: ['customers.retrieve'],
  CustomerList: ['customers.list'],
  PaymentMethodSession: ['payment_method_sessions.cancel'],
  CreatedPaymentMethodSession: ['payment_method_sessions.create'],
  BrowserPaymentMethodSession: ['payment_method_sessions.confirm'],
  AchAuthorization: ['payment_method_sessions.cancel', 'properties', 'ach_authorization', 'anyOf', '0'],
  PaymentMethod: ['payment_methods.retrieve'],
  PaymentMethodList: ['payment_methods.list'],
  Card: ['payment_methods.retrieve', 'properties', 'card', 'anyOf', '0'],
  UsBankAccount: ['payment_methods.retrieve', 'properties', 'us_bank_account', 'anyOf', '0'],
  BillingDetails: ['payment_methods.retrieve', 'properties', 'billing_details'],
  Payment: ['payments.retrieve'],
  PaymentList: ['payments.list'],
  PaymentFailure: ['payments.retrieve', 'properties', 'failure', 'anyOf', '0'],
  Refund: ['refunds.retrieve'],
  RefundList: ['refunds.list'],
  RefundFailure: ['refunds.retrieve', 'properties', 'failure', 'anyOf', '0'],
  CheckoutSession: ['checkout_sessions.retrieve'],
  CheckoutSessionList: ['checkout_sessions.list'],
  WebhookEndpoint: ['webhook_endpoints.retrieve'],
  CreatedWebhookEndpoint: ['webhook_endpoints.create'],
  DeletedWebhookEndpoint: ['webhook_endpoints.delete'],
  WebhookEndpointList: ['webhook_endpoints.list'],
  Event: ['events.list', 'properties', 'data', 'items'],
  EventList: ['events.list'],
  EventData: ['events.list', 'properties', 'data', 'items', 'properties', 'data'],
  EventWithDeliveries: ['events.retrieve'],
  Delivery: ['events.retrieve', 'properties', 'deliveries', 'items'],
}

/** The schema of what an event is about, by its `object`, with which the types of its events begin. */
export const objectsOfEvents = {
  payment: 'Payment',
  refund: 'Refund',
  checkout_session: 'CheckoutSession',
} as const satisfies Record<string, SchemaName>

/** The schemas of what operations return. Named ones are references. */
export interface Schemas {
  /** `components.schemas`, without the error. */
  components: Json
  outputOf(operation: OperationName): unknown
}

/** Names schemas by their text, because zod's JSON Schema contains a record's schema instead of a reference. */
export function readSchemas(): Schemas {
  const bodies = (Object.keys(named) as SchemaName[]).map((name) => [name, find(name)] as const)
  const names = new Map(bodies.map(([name, body]) => [JSON.stringify(body), name]))
  const components = Object.fromEntries(
    bodies.map(([name, body]) => [name, describe(foldInside(body, names), ofSpecification[name], name)]),
  )
  // The schema of an event leaves its object open, because it is stored as rendered; the document says what it is.
  const refs = Object.values(objectsOfEvents).map(refTo)
  const mapping = Object.fromEntries(
    Object.entries(objectsOfEvents).map(([value, name]) => [value, refTo(name).$ref]),
  )
  const anObject = { oneOf: refs, discriminator: { propertyName: 'object', mapping } }
  const EventData = describe({ ...components.EventData, properties: { object: anObject } })
  return {
    components: { ...components, EventData },
    outputOf: (operation) => fold(convert(operation, 'output'), names),
  }
}

/** What an operation takes: path, query and body parameters in one object. */
export function inputOf(operation: OperationName): { properties: Json; required: readonly string[] } {
  const input = convert(operation, 'input')
  return { properties: object(input.properties ?? {}), required: (input.required ?? []) as string[] }
}

export const refTo = (name: SchemaName | 'ErrorDetails') => ({ $ref: `#/components/schemas/${name}` })

/** Adds descriptions to the fields, and marks those not in `specified`; without that list, none. */
export function describe(schema: Json, specified?: readonly string[], schema_name = ''): Json {
  const fields = Object.entries(object(schema.properties ?? {})).map(([name, field]) => {
    const extension = specified !== undefined && !specified.includes(name)
    const description = words[`${schema_name}.${name}`] ?? words[name]
    return [name, { ...object(field), ...(description ? { description } : {}), ...(extension ? mark : {}) }]
  })
  return { ...schema, properties: Object.fromEntries(fields) }
}

/** Marks a field or a route that the specification does not have. */
export const mark = { 'x-quittance-extension': true }

function find(name: SchemaName): Json {
  const [operation, ...path] = named[name]
  let schema = convert(operation, 'output')
  for (const step of path) schema = object(schema[step])
  return schema
}

/** zod's own JSON Schema, without what only zod needs. */
function convert(operation: OperationName, io: 'input' | 'output'): Json {
  const schema = operationNamed(operation)[io].toJSONSchema({
    io,
    override({ jsonSchema }) {
      if (jsonSchema.format !== undefined) delete jsonSchema.pattern
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
      listTuple(jsonSchema)
      spellOut(jsonSchema)
      // A later version may add fields to a response. A request with an unknown field is refused.
      if (io === 'output' && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties
    },
  })
  const { $schema: _dialect, ...rest } = JSON.parse(JSON.stringify(schema)) as Json
  return rest
}

/** A tuple of one as a list of exactly one: client generators know lists, and several fail on a tuple. */
function listTuple(schema: Json): void {
  const { prefixItems, items } = schema
  if (!Array.isArray(prefixItems) || prefixItems.length !== 1 || items !== false) return
  schema.items = prefixItems[0]
  delete schema.prefixItems
}

/** An enum whose values differ only in case as a pattern: generators would give two of its values the same name. */
function spellOut(schema: Json): void {
  const values = Array.isArray(schema.enum) ? schema.enum.map(String) : []
  if (new Set(values.map((value) => value.toLowerCase())).size === values.length) return
  schema.pattern = `^(${values.join('|')})$`
  delete schema.enum
}

type Names = ReadonlyMap<string, SchemaName>

function fold(value: unknown, names: Names): unknown {
  if (Array.isArray(value)) return value.map((item) => fold(item, names))
  if (typeof value !== 'object' || value === null) return value
  const name = names.get(JSON.stringify(value))
  return name === undefined ? foldInside(object(value), names) : refTo(name)
}

function foldInside(schema: Json, names: Names): Json {
  return Object.fromEntries(Object.entries(schema).map(([keyword, value]) => [keyword, fold(value, names)]))
}

/** A part of a schema, which must exist: it throws if a schema was moved but not its path in `named`. */
export function object(value: unknown): Json {
  if (typeof value !== 'object' || value === null) throw new Error('There is no schema where one was named.')
  return value as Json
}
