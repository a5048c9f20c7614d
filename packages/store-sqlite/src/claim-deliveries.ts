import type { ClaimedDelivery, ClaimRequest, Tables } from '@quittance/core'
import type { ClaimWindow, SqlRow, Statements } from '@quittance/store-sql'
import {
  enabledEndpoints,
  freeOfEndpoint,
  liveAmong,
  liveLeases,
  longestDue,
  longestFree,
  take,
  withBodies,
} from './claim-statements.ts'
import type { SyncDriver } from './sqlite-driver.ts'

interface Claiming {
  statements: Statements
  driver: SyncDriver
  window: ClaimWindow
  request: ClaimRequest
}

/** Must run inside a write transaction, which excludes every other claim. */
export function claimDeliveries({ statements, driver, window, request }: Claiming): ClaimedDelivery[] {
  const chosen = choose(driver, window, request)
  if (chosen.size === 0) return []
  const { lease_until } = request
  const { codec } = statements.table('deliveries')
  const endpointOf = endpointsOf(statements, driver)
  const taken: unknown[] = []
  const claimed: ClaimedDelivery[] = []
  const entries = JSON.stringify([...chosen.keys()])
  for (const { entry, body, ...row } of driver.all<Endpoint>(withBodies, [entries])) {
    const endpoint = endpointOf(row)
    if (endpoint === null) continue
    taken.push(entry)
    const leased = { ...row, lease: Number(row.lease) + 1, lease_until }
    const delivery = codec.decode(leased) as unknown as Tables['deliveries']
    claimed.push({ delivery, endpoint, body: String(body), ahead: chosen.get(entry) === true })
  }
  driver.run(take, [lease_until, JSON.stringify(taken)])
  return claimed
}

/** Reads each endpoint once. */
function endpointsOf(statements: Statements, driver: SyncDriver) {
  const { get, codec } = statements.table('webhook_endpoints')
  return once(nameOf, ({ workspace, livemode, endpoint }: Endpoint) => {
    const [row] = driver.all(get, [workspace, livemode, endpoint])
    return row ? (codec.decode(row) as unknown as Tables['webhook_endpoints']) : null
  })
}

/** Calls `ask` once for each name. */
function once<Key, Value>(nameOf: (key: Key) => string, ask: (key: Key) => Value): (key: Key) => Value {
  const known = new Map<string, Value>()
  return (key) => {
    const name = nameOf(key)
    if (!known.has(name)) known.set(name, ask(key))
    return known.get(name) as Value
  }
}

interface Endpoint extends SqlRow {
  workspace: string
  livemode: number
  endpoint: string
}

/** Ids are unique within a scope only. */
const nameOf = ({ workspace, livemode, endpoint }: Endpoint) => `${livemode} ${endpoint} ${workspace}`

/** A delivery that may be claimed. */
interface Waiting extends SqlRow {
  next_attempt_at: string
  id: string
}

type Counted = Endpoint & { held: number }

/** The delivery of an endpoint that has been due for longest. */
type Head = Endpoint & Waiting

type Due = Head & { lease_until: string | null }

/** `turn`: how many deliveries of its endpoint come before it, including leased ones. */
type InTurn = Head & { turn: number }

type Offer = InTurn & { entry: number }

/**
 * A workspace serves at most as many endpoints as it has room for: those with the fewest live leases, then those with the
 * longest due delivery. It takes from them in turn; live leases count as turns already had. Heads beyond the first `limit`, and
 * deliveries behind them, would not be taken. Returns rowids, each with whether it is leased ahead.
 */
function choose(driver: SyncDriver, window: ClaimWindow, request: ClaimRequest): Map<unknown, boolean> {
  const { at, real_at, limit, per_workspace, reserved } = request
  const due = driver.all<Due>(longestDue, [at, window.size + 1])
  if (due.length === 0) return new Map()
  const leases = leasesOf(driver, request)
  const roomOf = (workspace: string) => Math.max(0, per_workspace - (leases.of_workspace.get(workspace) ?? 0))
  const serve = (heads: readonly Head[]) => {
    const idleIn = idleEndpoints(driver, new Set([...leases.of_endpoint.keys(), ...heads.map(nameOf)]))
    const hasRoom: HasRoom = ({ workspace, turn }, before) => {
      const room = roomOf(workspace) - before
      return room > reserved || (room > 0 && (turn === 0 || room > idleIn(workspace)))
    }
    const turns = heads.map((head) => ({ ...head, turn: leases.of_endpoint.get(nameOf(head)) ?? 0 }))
    return { served: inTurn(turns, hasRoom).slice(0, limit), hasRoom }
  }
  const oldest = serve(headsAmong(due, real_at))
  // All others come behind an endpoint among the oldest that has no lease.
  const isEnough = due.length <= window.size || oldest.served[limit - 1]?.turn === 0
  const full = [...leases.of_workspace.keys()].filter((workspace) => roomOf(workspace) === 0)
  const stepped = isEnough ? [] : driver.all<Head>(longestFree, [at, real_at, JSON.stringify(full)])
  window.adapt(stepped.length)
  const { served, hasRoom } = isEnough ? oldest : serve(stepped)
  const roundsOf = roundsByEndpoint(request.ahead)
  const offered = served.flatMap(({ turn, workspace, livemode, endpoint }): Offer[] => {
    const of = { workspace, livemode, endpoint }
    const most = Math.min(roomOf(workspace), limit) * (1 + roundsOf(of))
    return driver
      .all<Waiting & { entry: number }>(freeOfEndpoint, [workspace, livemode, endpoint, at, real_at, most])
      .map((offer, before) => ({ ...offer, ...of, turn: turn + before }))
  })
  const chosen = inTurn(offered, hasRoom).slice(0, limit)
  return new Map([
    ...chosen.map(({ entry }) => [entry, false] as const),
    ...offeredAhead(chosen, offered, roundsOf).map(({ entry }) => [entry, true] as const),
  ])
}

/** Whether a workspace has room for a delivery, with so many of its others before it. */
type HasRoom = (delivery: InTurn, before: number) => boolean

/** Those that their workspaces have room for, in turn. */
function inTurn<Item extends InTurn>(items: readonly Item[], hasRoom: HasRoom): Item[] {
  const seen = new Map<string, number>()
  return items.toSorted(byTurn).filter((item) => {
    const before = seen.get(item.workspace) ?? 0
    seen.set(item.workspace, before + 1)
    return hasRoom(item, before)
  })
}

/** How many more of an endpoint are leased ahead for each one that is taken. */
function roundsByEndpoint(ahead: ClaimRequest['ahead']): (of: Endpoint) => number {
  const rounds = new Map(
    ahead.map((of) => [nameOf({ ...of, livemode: Number(of.livemode) }), of.rounds] as const),
  )
  return (of) => rounds.get(nameOf(of)) ?? 0
}

/** The next deliveries of the endpoints that were chosen from, in turn. */
function offeredAhead(
  chosen: readonly Offer[],
  offered: readonly Offer[],
  roundsOf: (of: Endpoint) => number,
): Offer[] {
  const offers = Map.groupBy(offered, nameOf)
  const ahead = [...Map.groupBy(chosen, nameOf)].flatMap(([name, taken]) => {
    const [first] = taken
    const rounds = first === undefined ? 0 : roundsOf(first)
    return offers.get(name)?.slice(taken.length, taken.length * (1 + rounds)) ?? []
  })
  return ahead.sort(byTurn)
}

/** Of what is due at the same time, the lowest id is the head. */
function headsAmong(due: readonly Due[], real_at: string): Head[] {
  const free = due.filter(({ lease_until }) => lease_until === null || lease_until <= real_at)
  return [...Map.groupBy(free, nameOf).values()].map((of_endpoint) =>
    of_endpoint.reduce((head, one) =>
      one.next_attempt_at === head.next_attempt_at && one.id < head.id ? one : head,
    ),
  )
}

/** The number of a workspace's enabled endpoints, except the `busy` ones (by `nameOf`). */
function idleEndpoints(driver: SyncDriver, busy: ReadonlySet<string>) {
  return once(String, (workspace: string) => {
    const enabled = driver.all<Endpoint>(enabledEndpoints, [workspace])
    return enabled.filter((endpoint) => !busy.has(nameOf(endpoint))).length
  })
}

/** The number of live leases per endpoint (by `nameOf`) and per workspace, without those that have ended. */
function leasesOf(driver: SyncDriver, { real_at, ended }: Pick<ClaimRequest, 'real_at' | 'ended'>) {
  const names = ended.map(({ workspace, livemode, id, lease }) => [workspace, Number(livemode), id, lease])
  const over = driver.all<Counted>(liveAmong, [JSON.stringify(names), real_at])
  const over_of_endpoint = new Map(over.map((of) => [nameOf(of), of.held]))
  const of_endpoint = new Map<string, number>()
  const of_workspace = new Map<string, number>()
  for (const endpoint of driver.all<Counted>(liveLeases, [real_at])) {
    const { workspace } = endpoint
    const held = endpoint.held - (over_of_endpoint.get(nameOf(endpoint)) ?? 0)
    if (held === 0) continue
    of_endpoint.set(nameOf(endpoint), held)
    of_workspace.set(workspace, (of_workspace.get(workspace) ?? 0) + held)
  }
  return { of_endpoint, of_workspace }
}

function byTurn(one: InTurn, other: InTurn): number {
  return (
    one.turn - other.turn || compare(one.next_attempt_at, other.next_attempt_at) || compare(one.id, other.id)
  )
}

const compare = (one: string, other: string) => (one < other ? -1 : Number(one > other))
