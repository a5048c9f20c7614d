import { bytesOf, nowSeconds, type Sending, signedAt } from './deliverer.ts'
import { shown } from './effects.ts'
import { type Bench, isTaken, type Trial } from './trial.ts'

/** Far enough from the 300 seconds that even in a slow test none of these is on their other side when it is judged. */
const inside_seconds = 270
const outside_seconds = 330

/** A delivery whose `t` differs from the receiver's time by more than 300 seconds is refused (specification, "Delivery"). */
export const tolerances: readonly Trial[] = [
  refuses('a delivery that was recorded is not taken later', -outside_seconds),
  refuses('a delivery that was recorded is not taken a day later', -86_400),
  refuses('a delivery from the future is not taken', outside_seconds),
  refuses('a delivery from the far future is not taken', 40 * 365 * 86_400),
  { rule: 'a delivery that was recorded is not made new by a second `t`', run: notRenewed },
  takes('clocks may differ by five minutes', -inside_seconds),
  takes('clocks may differ by five minutes, either way', inside_seconds),
]

function refuses(rule: string, offset_seconds: number): Trial {
  return {
    rule,
    run: (bench) =>
      notTaken(bench, described(offset_seconds), (body) => signedAt(bench.secret, body, offset_seconds)),
  }
}

/** An attacker who recorded a delivery can edit its header, but its signature is valid only for the original `t`. */
async function notRenewed(bench: Bench) {
  const findings = []
  for (const place of ['before', 'behind'] as const) {
    const sent = `a delivery of a day ago, with a \`t\` of now ${place} its own`
    const renew = (body: string) => {
      const { signature } = signedAt(bench.secret, body, -86_400)
      const fresh = `t=${nowSeconds()}`
      return { signature: place === 'before' ? `${fresh},${signature}` : `${signature},${fresh}` }
    }
    findings.push(...(await notTaken(bench, sent, renew)))
  }
  return findings
}

async function notTaken(bench: Bench, sent: string, sign: (body: string) => Partial<Sending>) {
  const story = await bench.begun()
  const answer = await bench.attempt(story.event, sign(bytesOf(story.event)))
  const acted = await bench.hasActed(story)
  if (!isTaken(answer) && !acted) return []
  const got = acted ? `${answer.says}; ${shown(await bench.effects(story))}` : answer.says
  return [{ sent, expected: 'a 4xx, such as 400, and no effect', got }]
}

function takes(rule: string, offset_seconds: number): Trial {
  return {
    rule,
    async run(bench) {
      const { event } = await bench.begun()
      const answer = await bench.deliver(event, signedAt(bench.secret, bytesOf(event), offset_seconds))
      return isTaken(answer) ? [] : [{ sent: described(offset_seconds), expected: 'a 2xx', got: answer.says }]
    },
  }
}

function described(offset_seconds: number): string {
  const side = offset_seconds < 0 ? 'ago' : 'ahead'
  return `a right signature whose \`t\` is ${Math.abs(offset_seconds)} seconds ${side}`
}
