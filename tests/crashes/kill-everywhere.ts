import { isDeepStrictEqual } from 'node:util'
import type { Children } from './children.ts'
import type { Flow } from './flow.ts'
import type { Home } from './home.ts'
import type { Homes } from './homes.ts'
import type { Healed, Healer, MomentSeen, Ran } from './jobs.ts'
import { prepare } from './prepare.ts'
import { openReceiver } from './receiver.ts'
import { changed } from './world.ts'

export interface Ground {
  children: Children
  /** Of this flow alone, and closed after it. */
  homes: Homes
}

export interface Killed {
  /** How many processes were killed, each at a moment of its own. */
  points: number
  violations: string[]
}

/**
 * Runs a flow in a process of its own once for each moment at which it can die, kills it there with SIGKILL, and has
 * fresh processes heal what is left: one whose client asks again, and one that reconciles first. `chosen` picks among
 * the moments, which count from 1.
 */
export async function killEverywhere(
  flow: Flow,
  { children, homes }: Ground,
  chosen: (n: number) => boolean = () => true,
): Promise<Killed> {
  const receiver = await openReceiver()
  const { sentence } = flow
  try {
    const template = await homes.make('template')
    await prepare(flow, template, receiver.url)
    const untouched = await homes.copy(template, 'untouched')
    const whole = await homes.copy(template, 'whole')
    const { told, seen } = await children.answerOf('run', { flow: sentence, home: whole, dies_at: null })
    const moments = seen.slice(0, -1).map((moment, index) => ({ ...moment, n: index + 1 }))
    const points = moments.filter(({ n }) => chosen(n))
    const left = await inPairs(points, async ({ n }) => {
      const home = await homes.copy(template, `killed-${n}`)
      return { home, last_words: await children.lastWords({ flow: sentence, home, dies_at: n }) }
    })
    const [nothing, all, ...healed] = await healEach(flow, { children, homes }, [
      untouched,
      whole,
      ...left.map(homeOf),
    ])
    if (!nothing || !all) throw new Error('neither end was seen')
    const violations = points.flatMap((point, index) =>
      judge({ flow, nothing, all, point, last_words: left[index]?.last_words, healed: healed[index] }),
    )
    const unkilled = [
      ...judgeUnkilled(flow, { told, seen }),
      ...all.client.violations,
      ...all.reconciler.violations,
    ]
    return { points: points.length, violations: [...unkilled, ...violations] }
  } finally {
    await receiver.close()
    await homes.close()
  }
}

type HealedBoth = Record<Healer, Healed>

const homeOf = ({ home }: { home: Home }) => home

/** Each home twice: one copy for the client, one for the reconciler. */
async function healEach(
  { sentence }: Flow,
  { children, homes }: Ground,
  left: readonly Home[],
): Promise<HealedBoth[]> {
  const healAll = (of: readonly Home[], by: Healer) =>
    children.answerOf('heal', { flow: sentence, homes: of.map((home) => ({ home, by })) })
  const copies: Home[] = []
  for (const [index, home] of left.entries()) copies.push(await homes.copy(home, `copy-${index}`))
  const [client, reconciler] = await Promise.all([healAll(left, 'client'), healAll(copies, 'reconciler')])
  return client.flatMap((by_client, index) => {
    const by_reconciler = reconciler[index]
    return by_reconciler ? [{ client: by_client, reconciler: by_reconciler }] : []
  })
}

/**
 * Where nobody dies the flow does what it says, and what a call does is durable when it answers: between the calls
 * nothing becomes so.
 */
function judgeUnkilled({ sentence, answer }: Flow, { told, seen }: Ran): string[] {
  const late = seen.flatMap(({ moment, digest }, index) => {
    const before = seen[index - 1]
    const changed = before !== undefined && before.digest !== digest
    return changed && !moment.startsWith('after ') ? [`between ${before.moment} and ${moment}`] : []
  })
  return [
    ...late.map((when) => `${sentence}: something became durable ${when}`),
    ...(told === answer ? [] : [`${sentence}: is answered ${told}, not ${answer}`]),
    ...(seen[0]?.digest === seen.at(-1)?.digest ? [`${sentence}: and nothing has changed`] : []),
  ]
}

interface Case {
  flow: Flow
  /** What becomes of a home in which the flow never began, and of one in which nobody died. */
  nothing: HealedBoth
  all: HealedBoth
  point: MomentSeen & { n: number }
  last_words: string | undefined
  healed: HealedBoth | undefined
}

/** Everything that is wrong about one death and its healing. */
function judge({ flow, nothing, all, point, last_words, healed }: Case): string[] {
  const { n, moment } = point
  const wrong = last_words === moment ? [] : [`it died ${last_words}`]
  if (healed === undefined) wrong.push('it is not healed')
  for (const by of ['client', 'reconciler'] as const) {
    if (healed === undefined) continue
    const found = judgeHealed({ flow, point, nothing: nothing[by], all: all[by], healed: healed[by] })
    wrong.push(...found.map((what) => `healed by the ${by}: ${what}`))
  }
  return wrong.map((what) => `${flow.sentence}, dies at ${n} (${moment}), ${what}`)
}

function judgeHealed({
  flow,
  point,
  nothing,
  all,
  healed,
}: Record<'nothing' | 'all' | 'healed', Healed> & Pick<Case, 'flow' | 'point'>): string[] {
  const { told, world, reconciled, digest } = healed
  const wrong = [...healed.violations]
  if (digest !== point.digest) wrong.push('what was durable when it died is not what is found')
  const named = (flow.ends ?? []).map((end) => ({
    answer: end.answer,
    world: changed(all.world, end.world ?? {}),
  }))
  const ends = [{ answer: all.told, world: all.world }, ...named]
  if (!ends.some((end) => end.answer === told && isDeepStrictEqual(end.world, world)))
    wrong.push(`ends in ${told} ${JSON.stringify(world)}`)
  if (reconciled === null) return wrong
  const halfway = (flow.halfway ?? []).map((changes) => changed(nothing.reconciled ?? {}, changes))
  const begun = digest !== nothing.digest
  const stands = begun ? [all.reconciled, ...ends.map((end) => end.world), ...halfway] : [nothing.reconciled]
  if (!stands.some((one) => isDeepStrictEqual(one, reconciled)))
    wrong.push(`stands after one pass at ${JSON.stringify(reconciled)}`)
  return wrong
}

/** Two at a time: as many as the smallest machines have cores. */
async function inPairs<Item, Made>(
  items: readonly Item[],
  make: (item: Item) => Promise<Made>,
): Promise<Made[]> {
  const made: Made[] = []
  const rest = items.entries()
  const worker = async () => {
    for (const [index, item] of rest) made[index] = await make(item)
  }
  await Promise.all([worker(), worker()])
  return made
}
