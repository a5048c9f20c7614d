import type { Sandbox } from '../../../testing/src/builders/sandbox.ts'
import type { Write } from '../../../testing/src/invariants/book.ts'
import type { Random } from '../../../testing/src/random.ts'
import { recordedTransaction } from '../../../testing/src/simulation/recorded-transaction.ts'
import { runOnce, type Sender, startDispatcher } from '../../../webhooks/src/index.ts'
import type { ClaimRequest, Store, Transaction } from '../../src/ports/store.ts'
import type { Tables } from '../../src/ports/tables.ts'
import type { Request } from './world.ts'

interface Claim {
  began: number
  endpoint: string
}

interface Sent extends Claim {
  event: string
  body: string
}

interface Change {
  request: Request
  asked: number
  answered: number
  accepted: boolean
}

interface Pause {
  endpoint: string
  told: number
}

/** Receives everything, and knows in which order it was claimed, sent, silenced and woken. */
export class Receiver {
  readonly sent: Sent[] = []
  readonly unclaimed: string[] = []
  /** Endpoints that failed for three days, once that is committed. */
  readonly pauses: Pause[] = []
  readonly #claims = new Map<string, Claim>()
  readonly #changes: Change[] = []
  #moment = 0

  /** The store, whose leases are remembered by the moment at which it was asked for them. */
  watching(store: Store): Store {
    return {
      ...store,
      transaction: (scope, work) =>
        store.transaction(scope, async (tx) => {
          const writes: Write[] = []
          const result = await work(recordedTransaction(tx, writes))
          const began = this.moment()
          for (const { table, is } of writes) if (table === 'deliveries') await this.#files(tx, began, is)
          return result
        }),
      claimDeliveries: async (request: ClaimRequest) => {
        const began = this.moment()
        const claimed = await store.claimDeliveries(request)
        for (const { delivery, endpoint } of claimed)
          this.#claims.set(`${delivery.event} ${endpoint.url}`, { began, endpoint: endpoint.id })
        return claimed
      },
    }
  }

  /** A delivery that a unit of work has leased itself goes where its endpoint listens until that commits. */
  async #files(tx: Transaction, began: number, is: Write['is']): Promise<void> {
    const delivery = is as Tables['deliveries'] | null
    if (delivery?.lease !== 1) return
    const { event, endpoint: id } = delivery
    const endpoint = await tx.webhook_endpoints.get(id)
    if (endpoint) this.#claims.set(`${event} ${endpoint.url}`, { began, endpoint: id })
  }

  /** Answers 200 or 503 late, some rounds one of them only; without `random` at once, and 200. */
  sender(random?: Random, late: () => Promise<void> = async () => {}): Sender {
    const answers = random?.pick([[200], [200, 503], [503]]) ?? [200]
    return {
      send: async ({ url, headers, body }) => {
        const event = headers['Service-Event-Id'] ?? ''
        const claim = this.#claims.get(`${event} ${url}`)
        if (claim === undefined) this.unclaimed.push(`${event} to ${url}`)
        else this.sent.push({ ...claim, event, body: String(body) })
        await late()
        const response_status = random?.pick(answers) ?? 200
        return { response_status, error: response_status < 300 ? null : `http ${response_status}` }
      },
      async close() {},
    }
  }

  moment(): number {
    this.#moment += 1
    return this.#moment
  }

  answered(request: Request, asked: number, accepted: boolean): void {
    if (request.silences ?? request.wakes)
      this.#changes.push({ request, asked, answered: this.moment(), accepted })
  }

  paused(endpoint: string): void {
    this.pauses.push({ endpoint, told: this.moment() })
  }

  /** What was claimed for an endpoint after its end had been answered, and nobody had woken it since. */
  unheard(): string[] {
    return [...this.#afterPauses(), ...this.#afterSilence()]
  }

  #afterPauses(): string[] {
    const woken = new Set(this.#changes.map(({ request }) => request.wakes))
    return this.sent.flatMap(({ began, endpoint, event }) => {
      const paused = this.pauses.some((one) => one.endpoint === endpoint && one.told < began)
      return paused && !woken.has(endpoint) ? [`${event} was sent to ${endpoint} after its pause`] : []
    })
  }

  #afterSilence(): string[] {
    return this.sent.flatMap(({ began, endpoint, event }) => {
      const woken = this.#changes.filter(({ request }) => request.wakes === endpoint)
      const silent = this.#changes.find(
        (change) =>
          change.accepted &&
          change.request.silences === endpoint &&
          change.answered < began &&
          !woken.some((wake) => wake.answered > this.#firstAsked(change)),
      )
      return silent ? [`${event} was sent to ${endpoint} after "${silent.request.about}" was answered`] : []
    })
  }

  /** Under a key only one of the same requests does anything, and it may be the first. */
  #firstAsked({ request, asked }: Change): number {
    if (request.key === undefined) return asked
    return Math.min(...this.#changes.filter((one) => one.request === request).map((one) => one.asked))
  }
}

/** A dispatcher in each process. */
export function dispatchBoth(processes: readonly Sandbox[], sender: Sender) {
  const dispatchers = processes.map(({ engine }) => startDispatcher(engine, { sender }))
  return async () => {
    await Promise.all(dispatchers.map((dispatcher) => dispatcher.drain()))
    await Promise.all(dispatchers.map((dispatcher) => dispatcher.stop()))
  }
}

/** Sends all that is due, and is answered 200. */
export async function deliverAll({ engine }: Sandbox, receiver: Receiver): Promise<void> {
  await runOnce(engine, { budgetMs: 60_000, sender: receiver.sender() })
}
