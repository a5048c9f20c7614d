import { inWords } from '../../kernel/in-words.ts'
import type { Logger } from '../../ports/logger.ts'

interface Messages {
  one: string
  more: string
}

/** What failed in one pass. */
export type AlikeFailures = ReturnType<typeof countAlike>

/**
 * Logs the first of the failures that are alike, and at the end how many more there were: on a full disk, or where a listener
 * always throws, that may be thousands in each pass.
 */
export function countAlike(logger: Logger, { one, more }: Messages) {
  const counted = new Map<string, { kind: object; count: number }>()
  return {
    /** Failures of the same `of` and fault are alike, whatever their `object`. */
    add(object: object, thrown: unknown, of: Readonly<Record<string, string>>) {
      const kind = { ...of, fault: inWords(thrown) }
      const key = JSON.stringify(kind)
      const alike = counted.get(key)
      if (alike !== undefined) {
        alike.count += 1
        return
      }
      counted.set(key, { kind, count: 0 })
      logger.error(one, { ...object, ...kind })
    },
    end() {
      for (const { kind, count } of counted.values()) if (count > 0) logger.error(more, { ...kind, count })
    },
  }
}
