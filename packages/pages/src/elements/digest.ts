import { createHash } from 'node:crypto'

/** As `integrity` attributes and content security policies name a script or a style: `sha384-…`. */
export function digestOf(text: string): string {
  return `sha384-${createHash('sha384').update(text).digest('base64')}`
}
