import { z } from 'zod'

/** The merchant's own reference. */
export const referenceText = z.string().min(1).max(100)

export const descriptionText = z.string().max(500)

/** A value that a list is filtered by (specification: Limits). */
export const filterText = z.string().min(1).max(100)
