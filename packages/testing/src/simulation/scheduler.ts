import type { Random } from '../random.ts'
import type { Sleeper } from './timeline.ts'

/** The result of a call that never gets a response: its caller waits for ever. */
export const unanswered = Symbol('unanswered')

interface Held {
  owner: Sleeper
  release(): Promise<void>
}

/**
 * Every call of a process to the outside world waits here until it is released, one at a time: before the next call begins,
 * the last one has ended, on any store, and all that follows from it has happened.
 */
export class Scheduler {
  readonly #random: Random
  #held: Held[] = []
  #isFlowing = true
  #flow: Promise<void> | null = null
  /** Whether a program begins work in a later turn of the event loop, as dispatchers do. */
  takes_turns = false

  constructor(random: Random) {
    this.#random = random
  }

  /** From now on, calls wait for `releaseOne`, which takes them in seeded order. */
  async holdCalls(): Promise<void> {
    await this.rest()
    this.#isFlowing = false
  }

  /** From now on, calls are released by themselves, in the order in which they came. */
  letCallsThrough(): void {
    this.#isFlowing = true
    this.#keepFlowing()
  }

  hold<Answer>(owner: Sleeper, run: () => PromiseLike<Answer | typeof unanswered>): Promise<Answer> {
    return new Promise<Answer>((resolve, reject) => {
      if (owner.state === 'dead') return
      const release = async () => {
        try {
          const answer = await run()
          // A dead process gets no response.
          if (answer !== unanswered && owner.state !== 'dead') resolve(answer)
        } catch (fault) {
          reject(fault)
        }
      }
      this.#held.push({ owner, release })
      if (this.#isFlowing) this.#keepFlowing()
    })
  }

  /** Releases one call in seeded order. False if there is none of a running process. */
  async releaseOne(): Promise<boolean> {
    const free = this.#held.filter(({ owner }) => owner.state === 'running')
    if (free.length === 0) return false
    await this.#release(this.#random.pick(free))
    return true
  }

  /** Resolves when everything that happens by itself has happened, and every call that flows has ended. */
  async rest(): Promise<void> {
    for (await settled(); this.#flow !== null; await settled()) await this.#flow
  }

  get waiting(): number {
    let waiting = 0
    for (const { owner } of this.#held) if (owner.state === 'running') waiting += 1
    return waiting
  }

  /** Forgets the calls of dead processes. */
  bury(): void {
    this.#held = this.#held.filter(({ owner }) => owner.state !== 'dead')
  }

  #keepFlowing(): void {
    this.#flow ??= this.#releaseAll().finally(() => {
      this.#flow = null
    })
  }

  async #releaseAll(): Promise<void> {
    for (let next = this.#held[0]; next !== undefined && this.#isFlowing; next = this.#held[0]) {
      await this.#release(next)
    }
  }

  async #release(held: Held): Promise<void> {
    this.#held.splice(this.#held.indexOf(held), 1)
    await held.release()
    await (this.takes_turns ? settled() : drained())
  }
}

/** Resolves when every promise that can go on has done so: a tick requested by a promise comes after all others. */
function drained(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve))
}

/** The same, for dispatchers too: one that was woken begins its pass in its own turn, which comes before this one. */
async function settled(): Promise<void> {
  await drained()
  await new Promise<void>((resolve) => setImmediate(resolve))
  await drained()
}
