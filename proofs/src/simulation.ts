import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { addCounters, type Counters, simulate, situations, unseen } from '@quittance/testing'
import { inProcesses, type Portion } from './portions.ts'
import { wholeNumber } from './read-numbers.ts'

/** The results of histories, and the first violation of each that failed. */
export interface Simulated {
  counters: Counters
  failed: { seed: number; violation: string }[]
}

/** `--histories 1000000 --seed 1 --processes 2`, or `--until-violation`, and for one of them `--seed 1234 --histories 1 --trace` */
export async function simulation(options: string[]): Promise<{ violations: number }> {
  const { values } = parseArgs({
    args: options,
    options: {
      histories: { type: 'string', default: '1000000' },
      seed: { type: 'string', default: '1' },
      processes: { type: 'string', default: String(availableParallelism()) },
      trace: { type: 'boolean', default: false },
      'until-violation': { type: 'boolean', default: false },
    },
  })
  const seeds = { first: wholeNumber('seed', values.seed), count: wholeNumber('histories', values.histories) }
  if (values.trace) return trace(seeds)
  const total: Simulated = { counters: {}, failed: [] }
  const began_ms = performance.now()
  const count = await inProcesses<Simulated>({
    child: new URL('./simulation-child.ts', import.meta.url),
    seeds,
    portion: 500,
    processes: wholeNumber('processes', values.processes),
    found({ counters, failed }) {
      addCounters(total.counters, counters)
      total.failed.push(...failed)
      return values['until-violation'] && total.failed.length > 0
    },
  })
  print(total, { ...seeds, count }, (performance.now() - began_ms) / 1000)
  return { violations: total.failed.length }
}

/** Plays histories one after another, and keeps only their results. */
export async function simulatePortion({ first, count }: Portion): Promise<Simulated> {
  const simulated: Simulated = { counters: {}, failed: [] }
  for (let seed = first; seed < first + count; seed += 1) {
    const { violations, counters } = await simulate({ seed, trace: false })
    addCounters(simulated.counters, counters)
    const [violation] = violations
    if (violation) simulated.failed.push({ seed, violation: `${violation.invariant}: ${violation.detail}` })
  }
  return simulated
}

async function trace({ first, count }: Portion): Promise<{ violations: number }> {
  let failed = 0
  for (let seed = first; seed < first + count; seed += 1) {
    const { trace, violations } = await simulate({ seed })
    console.log([`seed ${seed}`, ...trace].join('\n'))
    for (const { invariant, detail } of violations) console.log(`${invariant}: ${detail}`)
    if (violations.length > 0) failed += 1
  }
  return { violations: failed }
}

function print({ counters, failed }: Simulated, { first, count }: Portion, seconds: number): void {
  for (const situation of situations)
    console.log(`${String(counters[situation] ?? 0).padStart(9)} ${situation}`)
  const never = unseen(counters)
  if (never.length > 0) console.log(`never came to: ${never.join('; ')}`)
  for (const { seed, violation } of failed.slice(0, 20)) {
    console.log(`${violation}\n  npm run proof -- simulation --seed ${seed} --histories 1 --trace`)
  }
  const rate = Math.round(count / seconds)
  console.log(`${count} histories from seed ${first} in ${seconds.toFixed(1)} s, ${rate} a second:`)
  console.log(`${failed.length} in which something did not hold`)
}
