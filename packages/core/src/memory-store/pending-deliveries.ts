import type { StoredRow } from '../ports/per-table.ts'
import type { ClaimRequest, Lease } from '../ports/store.ts'
import type { Tables } from '../ports/tables.ts'
import { TimeQueue } from './time-queue.ts'

type Delivery = Tables['deliveries']

interface Candidate {
  row: Delivery
  /** Its place in the endpoint's queue, plus the endpoint's live leases. */
  turn: number
}

/** The pending deliveries by workspace and endpoint, each endpoint's in the order of `next_attempt_at`. */
export class PendingDeliveries {
  readonly #workspaces = new Map<string, Workspace>()
  readonly #times = new TimeQueue<null>()

  set(stored: StoredRow): void {
    const row = deliveryOf(stored)
    if (row.status !== 'pending') {
      this.delete(stored)
      return
    }
    const workspace = this.#workspaces.get(row.workspace) ?? { endpoints: new Map(), leased: new Map() }
    this.#workspaces.set(row.workspace, workspace)
    const endpoint = endpointOf(row)
    const queue = workspace.endpoints.get(endpoint) ?? { times: new TimeQueue(), rows: new Map() }
    workspace.endpoints.set(endpoint, queue)
    queue.rows.set(row.id, row)
    queue.times.set(row.id, row.next_attempt_at, null)
    this.#times.set(nameOf(row), row.next_attempt_at, null)
    if (row.lease_until === null) workspace.leased.delete(nameOf(row))
    else workspace.leased.set(nameOf(row), row)
  }

  delete(stored: StoredRow): void {
    const row = deliveryOf(stored)
    const workspace = this.#workspaces.get(row.workspace)
    const endpoint = endpointOf(row)
    const queue = workspace?.endpoints.get(endpoint)
    if (workspace === undefined || queue === undefined || !queue.rows.delete(row.id)) return
    queue.times.set(row.id, null, null)
    this.#times.set(nameOf(row), null, null)
    workspace.leased.delete(nameOf(row))
    if (queue.rows.size > 0) return
    workspace.endpoints.delete(endpoint)
    if (workspace.endpoints.size === 0) this.#workspaces.delete(row.workspace)
  }

  /** The earliest `next_attempt_at` later than `after`, or of all. */
  next(after: string | null): string | null {
    return this.#times.next(after)
  }

  /** The deliveries of a workspace under live leases. */
  leased(workspace: string, real_at: string): Delivery[] {
    const leased = this.#workspaces.get(workspace)?.leased.values() ?? []
    return [...leased].filter((row) => isLeased(row, real_at))
  }

  /** What a claim takes: the first delivery of every endpoint, then the second, and so on, longest due first. */
  choose(request: ClaimRequest, enabledOf: (workspace: string) => readonly Endpoint[]): Chosen[] {
    const candidates: Candidate[] = []
    for (const [name, workspace] of this.#workspaces) {
      candidates.push(...chooseOf(workspace, request, () => enabledOf(name)))
    }
    const taken = candidates.sort(byTurn).slice(0, request.limit)
    return [
      ...taken.map(({ row }) => ({ row, ahead: false })),
      ...this.#ahead(taken, request).map((row) => ({ row, ahead: true })),
    ]
  }

  /** The next deliveries of the endpoints in `ahead`, in turn. */
  #ahead(taken: readonly Candidate[], request: ClaimRequest): Delivery[] {
    const ahead = request.ahead.flatMap(({ workspace, rounds, ...name }): Candidate[] => {
      const endpoint = endpointOf(name)
      const own = taken.filter(({ row }) => row.workspace === workspace && endpointOf(row) === endpoint)
      const [first] = own
      if (first === undefined) return []
      const queue = this.#workspaces.get(workspace)?.endpoints.get(endpoint)
      const offers = firstFree(queue, request, own.length * (1 + rounds))
      return offers.map((row, index) => ({ row, turn: first.turn + index })).slice(own.length)
    })
    return ahead.sort(byTurn).map(({ row }) => row)
  }
}

/** Taken, or leased ahead. */
interface Chosen {
  row: Delivery
  ahead: boolean
}

interface Workspace {
  endpoints: Map<string, Queue>
  leased: Map<string, Delivery>
}

/** The pending deliveries of an endpoint. */
interface Queue {
  times: TimeQueue<null>
  rows: Map<string, Delivery>
}

type Endpoint = Pick<Tables['webhook_endpoints'], 'livemode' | 'id'>

function chooseOf(
  workspace: Workspace,
  request: ClaimRequest,
  enabled: () => readonly Endpoint[],
): Candidate[] {
  const ended = new Set(request.ended.map(leaseOf))
  const leases = new Map<string, number>()
  let live = 0
  for (const row of workspace.leased.values()) {
    if (!isLeased(row, request.real_at) || ended.has(leaseOf(row))) continue
    live += 1
    leases.set(endpointOf(row), (leases.get(endpointOf(row)) ?? 0) + 1)
  }
  const free = request.per_workspace - live
  const room = Math.min(free, request.limit)
  if (room <= 0) return []
  const offers = (endpoint: string, limit: number): Candidate[] =>
    firstFree(workspace.endpoints.get(endpoint), request, limit).map((row, index) => {
      return { row, turn: index + (leases.get(endpoint) ?? 0) }
    })
  // At most `room` endpoints can be served: even the first delivery of any other would come too late.
  const heads = [...workspace.endpoints.keys()].flatMap((endpoint) => offers(endpoint, 1))
  const served = heads.sort(byTurn).slice(0, room)
  const candidates = served.flatMap(({ row }) => offers(endpointOf(row), room))
  const chosen = candidates.sort(byTurn).slice(0, room)
  if (chosen.length <= free - request.reserved) return chosen
  const busy = new Set([...leases.keys(), ...heads.map(({ row }) => endpointOf(row))])
  const idle = enabled().filter(({ livemode, id }) => !busy.has(endpointOf({ livemode, endpoint: id })))
  const open = free - Math.min(request.reserved, idle.length)
  return chosen.filter(({ turn }, place) => turn === 0 || place < open)
}

function firstFree(
  queue: Queue | undefined,
  { at, real_at }: Pick<ClaimRequest, 'at' | 'real_at'>,
  limit: number,
): Delivery[] {
  if (queue === undefined) return []
  const isFree = ({ key }: { key: string }) => !isLeased(queue.rows.get(key), real_at)
  return queue.times.earliest(at, limit, isFree).flatMap(({ key }) => queue.rows.get(key) ?? [])
}

/** Whether a delivery is under a live lease. Only pending deliveries are; a missing one is not. */
export function isLeased(row: StoredRow | Delivery | undefined, real_at: string): boolean {
  return typeof row?.lease_until === 'string' && row.lease_until > real_at
}

function byTurn(a: Candidate, b: Candidate): number {
  if (a.turn !== b.turn) return a.turn - b.turn
  return timed(a) < timed(b) ? -1 : 1
}

const timed = ({ row }: Candidate) => `${row.next_attempt_at} ${row.id}`

/** A row of this table is a delivery: the port's types ensured that when it was written. */
const deliveryOf = (row: StoredRow) => row as unknown as Delivery

const leaseOf = ({ workspace, livemode, id, lease }: Lease) => `${livemode} ${lease} ${id} ${workspace}`

/** Ids are unique within a scope only. */
const endpointOf = ({ livemode, endpoint }: Pick<Delivery, 'livemode' | 'endpoint'>) =>
  `${livemode} ${endpoint}`
const nameOf = ({ livemode, id, workspace }: Delivery) => `${livemode} ${id} ${workspace}`
