import { runs, testedStore } from '../stores/tested-store.ts'
import { describeRaces, type Race } from './race.ts'

/** Rounds of each race in memory: a hundred with every change, a thousand by `RACE_ROUNDS=1000`. */
const rounds = Number(process.env.RACE_ROUNDS ?? 100)
if (!(Number.isInteger(rounds) && rounds > 0)) throw new TypeError('RACE_ROUNDS is a whole number above 0.')

/** Runs each race between two engines on one store, and, where rows can be shared, between two with a store each. */
export function raceOnStore(races: readonly Race[]): void {
  const { name, open, openTwice, late, repeats } = testedStore()
  describeRaces(races, {
    name,
    rounds: runs(rounds),
    // Fewer rounds need not see every end.
    sees_every_end: repeats && rounds >= 100,
    async open() {
      const store = await open()
      return { store, again: store, close: () => store.close() }
    },
    late,
  })
  if (openTwice === undefined) return
  describeRaces(races, {
    name: `${name}, opened twice`,
    rounds: Math.ceil(rounds / 20),
    sees_every_end: false,
    open: openTwice,
    late,
  })
}
