/** A text quoted for use in a statement. */
export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

/** A name quoted for use in a statement. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
