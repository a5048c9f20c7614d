import { join } from 'node:path'
import { run } from '../../tools/run.ts'
import { type Child, startChild } from './child.ts'
import type { Ground } from './deliveries/contender.ts'
import type { Filed } from './deliveries/contender-process.ts'
import { withReceiver } from './deliveries/with-receiver.ts'
import type { Resident } from './dispatcher-process.ts'
import { withPostgres } from './postgres-server.ts'
import type { Row } from './report.ts'
import { withFolder } from './scratch.ts'

const pending = 1_000_000
const sent = 20_000

/** V8's heap limit in a container of 512 MB; on a machine of 24 GB its limit is sixteen times as much. */
const bounded = '--max-heap-size=256'

/** The memory of a dispatcher's process, on built packages, while a million deliveries are due and it sends some. */
export function memory(): Promise<Row[]> {
  run('npm', ['run', '--silent', 'build'])
  return withFolder((folder) =>
    withPostgres(async (postgres) => {
      const name = 'million'
      const file = join(folder, 'million.db')
      const ground = { file, postgres, redis: '', name, concurrency: 50 }
      return [
        ...(await measure('SQLite', ground, [file])),
        ...(await measure('Postgres', ground, [postgres, name])),
      ]
    }),
  )
}

async function measure(name: string, ground: Omit<Ground, 'url'>, where: readonly string[]): Promise<Row[]> {
  const { small, free } = await withReceiver(async (url, receiver) => {
    const filler = await startChild('./deliveries/contender-process.ts', [
      name,
      JSON.stringify({ ...ground, url }),
    ])
    await filler.ask({ fill: pending })
    await filler.stop()
    return {
      small: await resident(where, [bounded], receiver),
      free: await resident(where, [], receiver),
    }
  })
  const peak = `${name}: its peak while it sends ${sent.toLocaleString('en')} of ${pending.toLocaleString('en')} deliveries due`
  return [
    { what: `${name}: a dispatcher's resident memory before it sends`, figure: megabytes(small.idle_bytes) },
    {
      what: `${peak}, V8's heap as in a container of 512 MB`,
      figure: megabytes(small.peak_bytes),
      goal: { measured: small.peak_bytes / 1e6, at_most: 200, unit: ' MB' },
    },
    { what: `${peak}, V8's heap as on this machine`, figure: megabytes(free.peak_bytes) },
  ]
}

async function resident(
  where: readonly string[],
  execArgv: string[],
  receiver: Child<unknown>,
): Promise<Resident> {
  const dispatcher = await startChild('./dispatcher-process.ts', where, { execArgv })
  await dispatcher.ask('start')
  let arrived = 0
  while (arrived < sent) {
    await new Promise((resolve) => setTimeout(resolve, 50))
    arrived += (await receiver.ask<Filed>('tell')).length
  }
  const taken = await dispatcher.ask<Resident>('stop')
  await dispatcher.stop()
  await receiver.ask<Filed>('tell')
  return taken
}

const megabytes = (bytes: number) => `${Math.round(bytes / 1e6)} MB`
