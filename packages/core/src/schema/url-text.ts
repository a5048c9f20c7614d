/** Why WHATWG would read another URL than is written (it trims, drops or replaces characters), or null. */
export function faultInUrlText(url: string): string | null {
  const changed = url.trim() !== url || [...url].some((one) => one < ' ' || one === '\u007f' || one === '\\')
  return changed ? 'must not contain backslashes, control characters or surrounding spaces' : null
}
