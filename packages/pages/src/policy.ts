import { style_source } from './style.ts'

/** What a page may load besides itself: one script, and frames of the tokenizer's origins. */
export interface Loads {
  script: string
  frames: readonly string[]
}

/**
 * The policy of a page. Without `loads`: no script, no frame, no other origin, and no image but the empty icon that keeps
 * a browser from asking for one. A form goes to this origin only.
 */
export function contentSecurityPolicy(loads: Loads | null): string {
  return [
    "default-src 'none'",
    `style-src ${style_source}`,
    'img-src data:',
    ...(loads
      ? [
          `script-src ${loads.script.replace(/[;,]/g, encodeURIComponent)}`,
          `frame-src ${loads.frames.join(' ')}`,
          ...no_markup_sinks,
        ]
      : []),
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ')
}

/** Whatever else a script may do, it cannot turn text into markup. */
const no_markup_sinks = ["require-trusted-types-for 'script'", "trusted-types 'none'"]
