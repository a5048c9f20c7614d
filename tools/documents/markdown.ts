/** The first lines of a generated document. */
export function headOf(title: string, sentence: string): string {
  return `<!-- Written by \`npm run docs\`. -->\n\n# ${title}\n\n${sentence}\n`
}

export function table(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  return [columns, columns.map(() => '---'), ...rows]
    .map((cells) => `| ${cells.map(cell).join(' | ')} |`)
    .join('\n')
}

const cell = (text: string) => text.replaceAll('|', '\\|')
