/** Why a URL is not what WHATWG would call, which trims, drops or turns these around; null where it is. */
export function refuseUrlText(url: string): string | null {
  const changed = url.trim() !== url || [...url].some((one) => one < ' ' || one === '\u007f' || one === '\\')
  return changed ? 'must not contain backslashes, control characters or surrounding spaces' : null
}
