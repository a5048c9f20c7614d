import type { Processor, Store } from '@quittance/core'
import type { Random } from '../random.ts'
import { aroundPorts } from './around.ts'

/** More turns than any request takes, so that every interleaving of two requests' calls is possible. */
const most_turns = 24

/** Ports whose every call lets others go first for a number of turns that `random` draws. */
export function interleaved(ports: { store: Store; processor: Processor }, random: Random) {
  return aroundPorts(ports, async (_call, run) => {
    await turns(random.below(most_turns))
    const answer = await run()
    await turns(random.below(most_turns))
    return answer
  })
}

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await Promise.resolve()
}
