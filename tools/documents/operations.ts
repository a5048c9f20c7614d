import { type Access, operationNamed } from '@quittance/core'
import { routes } from '@quittance/transport-http'
import { headOf, table } from './markdown.ts'

/** The API on one page: every route, its operation, what opens it, and what it refuses with. */
export function operationsDocument(): string {
  const sentence =
    'Every route below the base address, which ends in `/v1`. Besides these codes, any request can be refused as [errors.md](errors.md) says.'
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
