/** What every path below a base path begins with. Throws if no path can. */
export function baseOf(base_path: string): string {
  if (!/^(\/|$)/.test(base_path))
    throw new TypeError(`\`basePath\` begins with a slash, unlike "${base_path}".`)
  return base_path.replace(/\/$/, '')
}
