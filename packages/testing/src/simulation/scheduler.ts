import type { Random } from './random.ts'
import type { Sleeper } from './timeline.ts'

/** What a call comes to that nobody ever answers: whoever waits for it waits for ever. */
export const unanswered = Symbol('unanswered')

interface Held {
  owner: Sleeper
  what: string
  release(): Promise<void>
}

/**
 * Every call of a process to the world outside waits here until it is released, one at a time and in seeded order:
 * a call has come to its end, on whatever store, before the next one begins.
 */
export class Scheduler {
  readonly #random: Random
  #held: Held[] = []
  /** Calls go through as they come: for what is prepared before a history, and for the time after it. */
  straight = true

  constructor(random: Random) {
    this.#random = random
  }

  hold<Answer>(
    owner: Sleeper,
    what: string,
    run: () => PromiseLike<Answer | typeof unanswered>,
  ): Promise<Answer> {
    return new Promise<Answer>((resolve, reject) => {
      const release = async () => {
        try {
          const answer = await run()
          // The dead hear nothing.
          if (answer !== unanswered && owner.state !== 'dead') resolve(answer)
        } catch (fault) {
          reject(fault)
        }
      }
      if (this.straight && owner.state === 'running') void release()
      else if (owner.state !== 'dead') this.#held.push({ owner, what, release })
    })
  }

  /** Releases one call and lets all that follows from it happen, up to the next calls. Undefined: none can be released. */
  async releaseOne(): Promise<string | undefined> {
    const free = this.#held.filter(({ owner }) => owner.state === 'running')
    if (free.length === 0) return undefined
    const chosen = this.#random.pick(free)
    this.#held.splice(this.#held.indexOf(chosen), 1)
    await chosen.release()
    await settled()
    return chosen.what
  }

  get waiting(): number {
    let waiting = 0
    for (const { owner } of this.#held) if (owner.state === 'running') waiting += 1
    return waiting
  }

  /** Forgets the calls of the dead. */
  bury(): void {
    this.#held = this.#held.filter(({ owner }) => owner.state !== 'dead')
  }
}

/**
 * Resolves when everything that can go on without the world outside has gone on. Twice, because a dispatcher that was
 * woken by the first turn's promises begins its pass in a turn of its own.
 */
export async function settled(): Promise<void> {
  await new Promise<void>((resolve) => setImmediate(resolve))
  await new Promise<void>((resolve) => setImmediate(resolve))
}
