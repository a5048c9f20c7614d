/** One line of a scenario's table: a figure, and its ratio to the line it is compared with. */
export interface Row {
  what: string
  figure: string
  ratio?: number
  goal?: Goal
}

/** A limit on the ratio, or on `measured` if the goal is not a ratio. */
export type Goal = { measured?: number; unit?: string } & ({ at_least: number } | { at_most: number })

export type Scenario = () => Promise<Row[]>

export function print(name: string, rows: readonly Row[]): void {
  console.log(`\n${name}`)
  for (const { what, figure, ratio, goal } of rows) {
    const compared = ratio === undefined ? '' : `${ratio.toFixed(2)} x`
    console.log(`  ${what.padEnd(66)}${figure.padStart(14)}${compared.padStart(10)}${verdict(goal, ratio)}`)
  }
}

function verdict(goal: Goal | undefined, ratio: number | undefined): string {
  if (goal === undefined) return ''
  const measured = goal.measured ?? ratio ?? Number.NaN
  const [limit, sign, reached] =
    'at_least' in goal
      ? [goal.at_least, '>=', measured >= goal.at_least]
      : [goal.at_most, '<=', measured <= goal.at_most]
  return `   goal ${sign} ${limit.toLocaleString('en')}${goal.unit ?? ''}: ${reached ? 'reached' : 'NOT REACHED'}`
}

export function perSecond(rate: number): string {
  return `${Math.round(rate).toLocaleString('en')}/s`
}

export async function elapsed(run: () => Promise<unknown> | unknown): Promise<number> {
  const started = performance.now()
  await run()
  return performance.now() - started
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5)
}

export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

/** Runs `task` `count` times, `width` at a time. */
export function inParallel(
  count: number,
  width: number,
  task: (index: number) => Promise<unknown>,
): Promise<void> {
  return inLanes(width, task, (index) => index < count)
}

/** Runs `task` for a set time, `width` at a time. Resolves to how many ended per second. */
export async function rateOf(
  duration_ms: number,
  width: number,
  task: (index: number) => Promise<unknown> | unknown,
): Promise<number> {
  const end_ms = performance.now() + duration_ms
  let count = 0
  const took_ms = await elapsed(() =>
    inLanes(width, task, (index) => {
      count = index
      return performance.now() < end_ms
    }),
  )
  return (count * 1000) / took_ms
}

async function inLanes(
  width: number,
  task: (index: number) => Promise<unknown> | unknown,
  goesOn: (index: number) => boolean,
): Promise<void> {
  let next = 0
  const lane = async () => {
    while (goesOn(next)) {
      const index = next
      next += 1
      await task(index)
    }
  }
  await Promise.all(Array.from({ length: width }, lane))
}
