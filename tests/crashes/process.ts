/** What the processes of a crash test do: `run` or `heal`, and a job in JSON. They answer on standard output, in JSON. */
import { writeSync } from 'node:fs'
import { openProcess } from './engine-process.ts'
import { flowNamed } from './flows.ts'
import { heal } from './heal.ts'
import { digestOf } from './home.ts'
import type { HealJob, Jobs, MomentSeen, Ran, RunJob } from './jobs.ts'

const work: { [Name in keyof Jobs]: (job: Jobs[Name]['job']) => Promise<Jobs[Name]['answer']> } = {
  run,
  heal: healAll,
}

const [name, job = ''] = process.argv.slice(2)
if (name !== 'run' && name !== 'heal') throw new Error(`nothing is called ${name}`)
const answer = await work[name](JSON.parse(job))
process.stdout.write(JSON.stringify(answer))

/** Runs the flow to the moment at which it is to die, saying which that is; or to its end, with all its moments and that. */
async function run({ flow, home, dies_at }: RunJob): Promise<Ran> {
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
  const { told } = await flowNamed(flow).run(opened, opened.known)
  await opened.close()
  return { told, seen: [...seen, { moment: 'the end', digest: await digestOf(home) }] }
}

async function healAll({ flow, homes }: HealJob) {
  const healed: Jobs['heal']['answer'] = []
  for (const { home, by } of homes) healed.push(await heal(flowNamed(flow), home, by))
  return healed
}
