import { z } from 'zod'
import type { Scope } from '../../ports/store.ts'
import { pathId } from '../../schema/ids.ts'
import { cancelBacklog } from '../../webhook-endpoints/cancel-backlog.ts'
import type { UnitServices } from '../services.ts'
import { unitsOf } from '../unit-of-work/unit-of-work.ts'
import { parseInput } from './parameters.ts'

/** An update that enables its endpoint. */
const enabling = pathId.extend({ status: z.literal('enabled') })

/**
 * Does what an operation, or the action of the same name, would need too long for in its own unit of work; null if that is
 * nothing.
 */
export function workAhead(
  services: UnitServices,
  scope: Scope,
  { operation, input }: { operation: string; input: unknown },
): Promise<void> | null {
  if (operation !== 'webhook_endpoints.update') return null
  const update = parseInput(enabling, input)
  return update.isOk() ? cancelBacklog(unitsOf(services, scope), update.value.id) : null
}
