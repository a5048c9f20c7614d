import type { Home } from './home.ts'
import type { World } from './world.ts'

export interface RunJob {
  flow: string
  home: Home
  /** The number of the moment at which it dies, from 1; null: it lives. */
  dies_at: number | null
}

export interface MomentSeen {
  moment: string
  /** Of what was durable then. */
  digest: string
}

/** Who comes first after a crash: the client that got no answer, or the reconciler. */
export type Healer = 'client' | 'reconciler'

export interface Ran {
  told: string
  /** Its moments, and then its end. */
  seen: MomentSeen[]
}

export interface HealJob {
  flow: string
  homes: { home: Home; by: Healer }[]
}

export interface Healed {
  /** Of what was durable before anybody came. */
  digest: string
  /** After one pass, and before anybody asked again; null where the client came first. */
  reconciled: World | null
  /** In the end, with the client answered and one pass made. */
  world: World
  told: string
  violations: string[]
}

/** What a process is asked to do, and what it answers. */
export interface Jobs {
  run: { job: RunJob; answer: Ran }
  heal: { job: HealJob; answer: Healed[] }
}
