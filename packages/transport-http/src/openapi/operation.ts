import { type Access, operationNamed } from '@quittance/core'
import type { Route } from '../routes.ts'
import { errorResponses } from './errors.ts'
import { describe, inputOf, type Json, mark, object, type Schemas } from './schemas.ts'
import { summaryOf } from './summaries.ts'
import { specifiedParameters } from './vocabulary.ts'

/** A route of the table as an operation of the document. */
export function describeRoute(route: Route, schemas: Schemas): Json {
  const { operation } = route
  const [tag] = operation.split('.')
  const parts = partsOf(route)
  const parameters = [...inPathAndQuery(parts), ...clientSecret(route), ...idempotencyKey(route)]
  return {
    operationId: operation,
    tags: [tag],
    ...summaryOf(operation),
    ...(specifiedParameters(route) === undefined ? mark : {}),
    security: securityOf(operationNamed(operation).access),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...requestBody(parts),
    responses: { 200: success(route, schemas), ...errorResponses(route) },
  }
}

function securityOf(access: Access): Json[] {
  const browser = { publishableKey: ['payment_methods:tokenize'] }
  if (!('scope' in access)) return [browser]
  const secret = { secretKey: access.scope === null ? [] : [access.scope] }
  return access.key === 'secret' ? [secret] : [secret, browser]
}

type Parts = ReturnType<typeof partsOf>

/** An operation's input, split by where a request carries it. */
function partsOf(route: Route) {
  const { properties, required } = inputOf(route.operation)
  const fields = Object.entries(object(describe({ properties }, specifiedParameters(route)).properties))
  const path = fields.filter(([name]) => route.path.includes(`{${name}}`))
  const others = fields.filter((field) => !path.includes(field))
  const [query, body] = route.method === 'POST' ? [[], others] : [others, []]
  return { path, query, body, required }
}

function inPathAndQuery({ path, query, required }: Parts): Json[] {
  return [
    ...path.map(([name, schema]) =>
      parameter({ name, in: 'path', required: true }, { ...object(schema), minLength: 1, maxLength: 64 }),
    ),
    ...query.map(([name, schema]) =>
      parameter({ name, in: 'query', required: required.includes(name) }, object(schema)),
    ),
  ]
}

/** A parameter has its description and mark next to its schema, not inside. */
function parameter(place: { name: string; in: 'path' | 'query'; required: boolean }, given: Json): Json {
  const { description, 'x-quittance-extension': extension, ...schema } = given
  return {
    ...place,
    ...(description === undefined ? {} : { description }),
    ...(extension === undefined ? {} : mark),
    schema,
  }
}

function clientSecret({ operation }: Route): Json[] {
  const { access } = operationNamed(operation)
  if (access.key === 'secret') return []
  return [
    { $ref: `#/components/parameters/${access.key === 'browser' ? 'ClientSecret' : 'BrowserClientSecret'}` },
  ]
}

function idempotencyKey({ method, operation: name }: Route): Json[] {
  if (method !== 'POST') return []
  const operation = operationNamed(name)
  const required = operation.kind === 'remote' && operation.idempotency_key === 'required'
  return [{ $ref: `#/components/parameters/${required ? 'RequiredIdempotencyKey' : 'IdempotencyKey'}` }]
}

function requestBody({ body, required }: Parts): Json {
  if (body.length === 0) return {}
  const needed = required.filter((name) => body.some(([field]) => field === name))
  const schema = {
    type: 'object',
    properties: Object.fromEntries(body),
    ...(needed.length > 0 ? { required: needed } : {}),
    additionalProperties: false,
  }
  return { requestBody: { required: needed.length > 0, content: { 'application/json': { schema } } } }
}

function success({ method, operation }: Route, { outputOf }: Schemas): Json {
  return {
    description: 'Done.',
    headers: {
      'Request-Id': { $ref: '#/components/headers/RequestId' },
      ...(method === 'POST'
        ? { 'Idempotent-Replayed': { $ref: '#/components/headers/IdempotentReplayed' } }
        : {}),
    },
    content: { 'application/json': { schema: outputOf(operation) } },
  }
}
