/** What a proof did, and the violations that it found. */
export interface Findings {
  readonly figures: Record<string, number | string>
  readonly violations: string[]
  /** Records `otherwise` as a violation unless `holds`. */
  expect(holds: boolean, otherwise: string): void
}

export function newFindings(): Findings {
  const violations: string[] = []
  return {
    figures: {},
    violations,
    expect(holds, otherwise) {
      if (!holds) violations.push(otherwise)
    },
  }
}

const most_shown = 20

export function printFindings({ figures, violations }: Findings): void {
  for (const [what, figure] of Object.entries(figures)) console.log(`  ${what}: ${figure}`)
  console.log(`  violations: ${violations.length}`)
  for (const violation of violations.slice(0, most_shown)) console.log(`    ${violation}`)
}

/** How often each occurs: `3 x, 1 y`. */
export function tally(values: Iterable<string>): string {
  const counts = new Map<string, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  const rows = [...counts].sort((one, other) => other[1] - one[1])
  return rows.map(([value, count]) => `${count} ${value}`).join(', ') || 'none'
}
