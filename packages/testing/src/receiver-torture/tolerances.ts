import { bytesOf, signedAt } from './deliverer.ts'
import { isTaken, shown, type Trial } from './trial.ts'

/** Off by less than a slow test, so that none of these is on the other side of the 300 seconds when it is judged. */
const inside_seconds = 270
const outside_seconds = 330

/** A delivery whose `t` differs from the receiver's time by more than 300 seconds is refused (specification, "Delivery"). */
export const tolerances: readonly Trial[] = [
  refuses('a delivery that was recorded is not taken later', -outside_seconds),
  refuses('a delivery that was recorded is not taken a day later', -86_400),
  refuses('a delivery from the future is not taken', outside_seconds),
  refuses('a delivery from the far future is not taken', 40 * 365 * 86_400),
  takes('clocks may differ by five minutes', -inside_seconds),
  takes('clocks may differ by five minutes, either way', inside_seconds),
]

function refuses(rule: string, offset_seconds: number): Trial {
  return {
    rule,
    async run(bench) {
      const story = await bench.told()
      const answer = await bench.deliver(
        story.event,
        signedAt(bench.secret, bytesOf(story.event), offset_seconds),
      )
      const acted = await bench.hasActed(story)
      if (!isTaken(answer) && !acted) return []
      const got = acted ? `${answer.says}; ${shown(await bench.effects(story))}` : answer.says
      return [{ sent: described(offset_seconds), expected: 'a 400, and no effect', got }]
    },
  }
}

function takes(rule: string, offset_seconds: number): Trial {
  return {
    rule,
    async run(bench) {
      const { event } = await bench.told()
      const answer = await bench.deliver(event, signedAt(bench.secret, bytesOf(event), offset_seconds))
      return isTaken(answer) ? [] : [{ sent: described(offset_seconds), expected: 'a 2xx', got: answer.says }]
    },
  }
}

function described(offset_seconds: number): string {
  const side = offset_seconds < 0 ? 'ago' : 'ahead'
  return `a right signature whose \`t\` is ${Math.abs(offset_seconds)} seconds ${side}`
}
