import { default_brand, option, refuseWrongOptions } from '@quittance/core'
import { type Route, routes } from '../routes.ts'
import { errorSchemas, sharedResponses } from './errors.ts'
import { describeRoute } from './operation.ts'
import { type Json, readSchemas, type Schemas } from './schemas.ts'
import { tags } from './summaries.ts'
import { describeWebhooks } from './webhooks.ts'

export interface OpenApiOptions {
  /** What the paths are relative to. If it is only a path, it is relative to where the document is served. */
  serverUrl?: string | undefined
  /** The beginning of the names of a delivery's headers. */
  brand?: string | undefined
}

/** The API as an OpenAPI 3.1 document, made from the route table and the operations' own schemas and errors. */
export function openApiDocument(options: OpenApiOptions = {}): Json {
  refuseWrongOptions('openApiDocument', options, { serverUrl: option.text, brand: option.text })
  const { serverUrl = '/v1', brand = default_brand } = options
  const schemas = readSchemas()
  return {
    openapi: '3.1.0',
    info: {
      title: 'Quittance',
      version: 'v1',
      summary: 'Invoicing, payment collection and webhooks',
      description:
        'Success is always `200`. Amounts are integers in the smallest currency unit; timestamps are UTC with milliseconds. Routes and fields marked `x-quittance-extension` go beyond the specification.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: serverUrl }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    paths: paths(routes, schemas),
    webhooks: describeWebhooks(brand, schemas),
    components: {
      schemas: { ...schemas.components, ...errorSchemas() },
      responses: sharedResponses(),
      parameters,
      headers,
      securitySchemes,
    },
  }
}

function paths(table: readonly Route[], schemas: Schemas): Json {
  const items: Record<string, Json> = {}
  for (const route of table) {
    items[route.path] = { ...items[route.path], [route.method.toLowerCase()]: describeRoute(route, schemas) }
  }
  return items
}

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  schema: { type: 'string', pattern: '^[\\x21-\\x7e]{1,255}$' },
}
const client_secret = { name: 'client_secret', in: 'query', schema: { type: 'string' } }

const parameters = {
  IdempotencyKey: {
    ...idempotencyKey,
    required: false,
    description:
      'A retry with the same key gets the response of the first request. Another request needs another key.',
  },
  RequiredIdempotencyKey: {
    ...idempotencyKey,
    required: true,
    description: 'A retry with the same key moves money once. Another request needs another key.',
  },
  ClientSecret: { ...client_secret, required: true, description: "The session's client secret." },
  BrowserClientSecret: {
    ...client_secret,
    required: false,
    description: "The session's client secret: required with a publishable key, refused with a secret key.",
  },
}

const headers = {
  RequestId: {
    description: "The id of the request, also in an error's body.",
    required: true,
    schema: { type: 'string', pattern: '^req_[0-9A-Za-z]{24}$' },
  },
  WwwAuthenticate: {
    description: 'How a key is sent.',
    schema: { type: 'string', const: 'Bearer' },
  },
  IdempotentReplayed: {
    description: 'Present on the stored response of an earlier request with the same Idempotency-Key.',
    schema: { type: 'string', const: 'true' },
  },
  RetryAfter: {
    description: 'Seconds to wait before the request is sent again.',
    schema: { type: 'integer', minimum: 1 },
  },
}

const securitySchemes = {
  secretKey: {
    type: 'http',
    scheme: 'bearer',
    description:
      'A secret key, `sk_test_…` or `sk_live_…`, with the scope that the operation names. For servers only.',
  },
  publishableKey: {
    type: 'http',
    scheme: 'bearer',
    description:
      "A publishable key, `pk_test_…` or `pk_live_…`, together with a session's client secret. For the browser.",
  },
}
