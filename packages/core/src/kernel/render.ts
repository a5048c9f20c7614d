import type { z } from 'zod'

/** A record as the API shows it: the wire schema's fields in the schema's order, nothing internal. */
export function render<Wire extends z.ZodObject>(wire: Wire, row: object): z.output<Wire> {
  const { object } = wire.shape
  const shown: Record<string, unknown> = {}
  for (const field of Object.keys(wire.shape)) shown[field] = (row as Record<string, unknown>)[field]
  if (object !== undefined) shown.object = (object as z.ZodLiteral<string>).value
  return shown as z.output<Wire>
}
