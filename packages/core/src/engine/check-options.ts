import { eventType } from '../events/event.ts'
import type { EngineOptions } from './create-engine.ts'

/** Throws for mistakes that would show late: a dead link, a listener never called, a key forgotten early. */
export function checkOptions({ publicUrl, on = {}, idempotencyRetentionHours }: EngineOptions): void {
  if (!((idempotencyRetentionHours ?? 24) >= 24))
    throw new Error('`idempotencyRetentionHours` is at least 24.')
  if (!URL.canParse(publicUrl) || !/^https?:$/.test(new URL(publicUrl).protocol))
    throw new TypeError(`\`publicUrl\` is an http or https URL, not ${publicUrl}.`)
  const types: readonly string[] = eventType.options
  const unknown = Object.keys(on).find((type) => !types.includes(type))
  if (unknown !== undefined)
    throw new TypeError(`\`on\` listens to ${unknown}, which is no event: there are ${types.join(', ')}.`)
}
