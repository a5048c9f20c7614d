import { z } from 'zod'
import { scopedRow } from '../schema/row.ts'
import { timestamp } from '../schema/timestamps.ts'

/** What a key may do (specification: Authentication 6). The customers group exists; no endpoint requires it. */
export const keyScopes = [
  'payment_methods:read',
  'payment_methods:write',
  'payments:read',
  'payments:write',
  'webhooks:read',
  'webhooks:write',
  'customers:read',
  'customers:write',
] as const
export const keyScope = z.enum([...keyScopes, 'payment_methods:tokenize'])
export type KeyScope = z.output<typeof keyScope>

/** The dashboard grants scopes in groups: read and write together. */
export const scopeGroup = z.enum(['payment_methods', 'payments', 'webhooks', 'customers'])
type ScopeGroup = z.output<typeof scopeGroup>

export function scopesOf(groups: readonly ScopeGroup[]): KeyScope[] {
  return keyScopes.filter((scope) => groups.some((group) => scope.startsWith(`${group}:`)))
}

export const apiKeyType = z.enum(['secret', 'publishable'])
export type ApiKeyType = z.output<typeof apiKeyType>

/** The key itself is shown once, at creation. Only its SHA-256, first 12 and last 4 characters are stored. */
export const apiKeyRow = z.object({
  ...scopedRow,
  id: z.uuid(),
  type: apiKeyType,
  name: z.string(),
  scopes: z.array(keyScope),
  hash: z.string(),
  start: z.string(),
  end: z.string(),
  created_at: timestamp,
  revoked_at: timestamp.nullable(),
})
export type ApiKeyRow = z.output<typeof apiKeyRow>
