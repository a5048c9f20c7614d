/**
 * What the processes of a crash test do: `prepare`, `run` or `heal`, and a job in JSON. They answer on their standard
 * output, in JSON.
 */
import { writeFileSync, writeSync } from 'node:fs'
import { fileLedger, simulatedProcessor } from '@quittance/processor-simulator'
import { registeredEndpoint } from '../../packages/testing/src/builders/deliveries.ts'
import { openSandbox } from '../../packages/testing/src/builders/sandbox.ts'
import { engineSettings, openProcess, type Prepared, preparedIn } from './engine-process.ts'
import { flowNamed } from './flows.ts'
import { heal } from './heal.ts'
import { booksIn, digestOf, ledgerIn, openStore } from './home.ts'
import type { HealJob, Jobs, MomentSeen, PrepareJob, RunJob } from './jobs.ts'

const work: { [Name in keyof Jobs]: (job: Jobs[Name]['job']) => Promise<Jobs[Name]['answer']> } = {
  prepare,
  run,
  heal: healAll,
}

const [name = '', job = ''] = process.argv.slice(2)
const answer = await work[name as keyof Jobs](JSON.parse(job))
writeSync(1, JSON.stringify(answer))

/** Up to where the flow begins. */
async function prepare({ flow, home, receiver }: PrepareJob): Promise<null> {
  const { prepare, delivers } = flowNamed(flow)
  const store = await openStore(home)
  const processor = simulatedProcessor({ ledger: fileLedger(ledgerIn(home)) })
  const sandbox = await openSandbox({ ...engineSettings, store, processor, seed: 1 })
  if (!delivers) await registeredEndpoint(sandbox)
  const known = await prepare(sandbox, { receiver, books: booksIn(home) })
  const prepared: Prepared = { scope: sandbox.scope, now_ms: sandbox.clock.now() + 1000, known }
  writeFileSync(preparedIn(home), JSON.stringify(prepared))
  await store.close()
  return null
}

/** Runs the flow to the moment at which it is to die, saying which that is; or to its end, with all its moments. */
async function run({ flow, home, dies_at }: RunJob): Promise<MomentSeen[]> {
  const seen: MomentSeen[] = []
  let moments = 0
  const opened = await openProcess(home, {
    seed: 2,
    async arrive(moment) {
      moments += 1
      if (dies_at === null) seen.push({ moment, digest: await digestOf(home) })
      if (dies_at !== moments) return
      writeSync(1, moment)
      process.kill(process.pid, 'SIGKILL')
      await new Promise(() => {})
    },
  })
  await flowNamed(flow).run(opened, opened.known)
  await opened.close()
  return seen
}

async function healAll({ flow, homes }: HealJob) {
  const healed: Jobs['heal']['answer'] = []
  for (const { home, by } of homes) healed.push(await heal(flowNamed(flow), home, by))
  return healed
}
