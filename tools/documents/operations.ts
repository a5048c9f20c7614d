import { type Access, operationNamed } from '@quittance/core'
import { routes } from '@quittance/transport-http'
import { headOf, table } from './markdown.ts'

/** The API on one page: every route, its operation, what opens it, and the codes with which it refuses. */
export function operationsDocument(): string {
  const sentence = [
    'The routes of all operations, below the base address, which ends in `/v1`. [api.md](api.md) says how to call them. Besides the',
    'codes listed here, any request can be refused with the general ones in [errors.md](errors.md).',
    '',
    'Also below the base address: `GET /openapi.json`, the API in OpenAPI 3.1, which needs no key; and, on an engine made with',
    '`testHelpers`, the routes below `/test-helpers` ([sandbox.md](sandbox.md#test-helpers-over-http)). Hosted pages are below the',
    "engine's `publicUrl` ([hosted-pages.md](hosted-pages.md)), and the back office has a handler of its own",
    '([back-office.md](back-office.md)).',
  ].join('\n')
  const rows = routes.map(({ method, path, operation }) => {
    const { access, errors } = operationNamed(operation)
    return [
      `\`${method} ${path}\``,
      `\`${operation}\``,
      opener(access),
      errors.map((code) => `\`${code}\``).join(', '),
    ]
  })
  return `${headOf('Operations', sentence)}\n${table(['Route', 'Operation', 'Key and scope', 'Refuses with'], rows)}\n`
}

function opener(access: Access): string {
  if (access.key === 'browser') return 'publishable key and client secret'
  if (!('scope' in access)) return access.key
  const secret = access.scope === null ? 'secret key' : `secret key, \`${access.scope}\``
  return access.key === 'secret' ? secret : `${secret}; or publishable key and client secret`
}
