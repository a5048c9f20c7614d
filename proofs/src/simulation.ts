import { fork } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { addCounters, type Counters, simulate, situations, unseen } from '@quittance/testing'

/** How many histories a process is handed at a time. */
const portion = 500

/** What a process found in its portion. */
export interface Portion {
  counters: Counters
  failed: { seed: number; first: string }[]
}

/** `--histories 1000000 --seed 1 --processes 2`, and for one of them `--seed 1234 --histories 1 --trace` */
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
  const range = { first: Number(values.seed), count: Number(values.histories) }
  if (values.trace) return traced(range)
  const started_ms = performance.now()
  const processes = Math.min(Number(values.processes), Math.ceil(range.count / portion))
  const found = await inProcesses(range, { processes, stops: values['until-violation'] })
  const seconds = (performance.now() - started_ms) / 1000
  print(found, { ...range, seconds, processes })
  return { violations: found.failed.length }
}

/** Histories one after another, and only what they came to. */
export async function simulatePortion(first: number, count: number): Promise<Portion> {
  const found: Portion = { counters: {}, failed: [] }
  for (let seed = first; seed < first + count; seed += 1) {
    const { violations, counters } = await simulate({ seed, trace: false })
    addCounters(found.counters, counters)
    const [violation] = violations
    if (violation) found.failed.push({ seed, first: `${violation.invariant}: ${violation.detail}` })
  }
  return found
}

async function inProcesses(
  { first, count }: { first: number; count: number },
  { processes, stops }: { processes: number; stops: boolean },
): Promise<Portion> {
  const found: Portion = { counters: {}, failed: [] }
  let next = first
  const end = first + count
  const one = () =>
    new Promise<void>((resolve, reject) => {
      const child = fork(new URL('./simulation-child.ts', import.meta.url))
      const hand = () => {
        if (next >= end || (stops && found.failed.length > 0)) {
          child.disconnect()
          return
        }
        const asked = Math.min(portion, end - next)
        child.send({ first: next, count: asked })
        next += asked
      }
      child.on('message', (portion: Portion) => {
        addCounters(found.counters, portion.counters)
        found.failed.push(...portion.failed)
        hand()
      })
      child.on('exit', (code) => (code === 0 ? resolve() : reject(new Error(`a process ended with ${code}`))))
      hand()
    })
  await Promise.all(Array.from({ length: processes }, one))
  return found
}

async function traced({ first, count }: { first: number; count: number }): Promise<{ violations: number }> {
  let failed = 0
  for (let seed = first; seed < first + count; seed += 1) {
    const { trace, violations } = await simulate({ seed })
    console.log([`seed ${seed}:`, ...trace].join('\n'))
    for (const { invariant, detail } of violations) console.log(`${invariant}: ${detail}`)
    if (violations.length > 0) failed += 1
  }
  return { violations: failed }
}

function print(
  { counters, failed }: Portion,
  { count, first, seconds, processes }: { count: number; first: number; seconds: number; processes: number },
): void {
  for (const situation of situations)
    console.log(`${String(counters[situation] ?? 0).padStart(9)} ${situation}`)
  const never = unseen(counters)
  if (never.length > 0) console.log(`never came to: ${never.join('; ')}`)
  for (const { seed, first } of failed.slice(0, 20)) {
    console.log(`${first}\n  npm run proof -- simulation --seed ${seed} --histories 1 --trace`)
  }
  const rate = Math.round(count / seconds)
  console.log(
    `${count} histories from seed ${first} in ${seconds.toFixed(1)} s in ${processes} processes, ${rate} a second: ${failed.length} with violations`,
  )
}
