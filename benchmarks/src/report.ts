/** One line of a scenario's table: a figure, and its ratio to the line it is compared with. */
export interface Row {
  what: string
  figure: string
  ratio?: number
  goal?: string
}

export type Scenario = () => Promise<Row[]>

export function print(name: string, rows: readonly Row[]): void {
  console.log(`\n${name}`)
  for (const { what, figure, ratio, goal } of rows) {
    const compared = ratio === undefined ? '' : `${ratio.toFixed(2).padStart(8)} x`
    console.log(
      `  ${what.padEnd(58)}${figure.padStart(16)}${compared}${goal === undefined ? '' : `   goal ${goal}`}`,
    )
  }
}

export function perSecond(count: number, elapsed_ms: number): string {
  return `${Math.round((count * 1000) / elapsed_ms).toLocaleString('en')}/s`
}

export async function elapsed(run: () => Promise<unknown> | unknown): Promise<number> {
  const started = performance.now()
  await run()
  return performance.now() - started
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}

/** Runs `task` `count` times, `width` at a time. */
export async function inParallel(
  count: number,
  width: number,
  task: (index: number) => Promise<unknown>,
): Promise<void> {
  let next = 0
  const lane = async () => {
    while (next < count) {
      const index = next
      next += 1
      await task(index)
    }
  }
  await Promise.all(Array.from({ length: width }, lane))
}
