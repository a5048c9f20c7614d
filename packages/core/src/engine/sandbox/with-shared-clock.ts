import type { Engine } from '../engine.ts'
import type { Services } from '../services.ts'
import { followClock, type MovableClock } from './movable-clock.ts'

/** The engine. Before calls that depend on the time, it reads how far ahead other processes have moved the clock. */
export function withSharedClock(engine: Engine, services: Services, clock: MovableClock): Engine {
  const follow = () => followClock(services, clock)
  const following =
    <Input extends unknown[], Value>(call: (...input: Input) => Promise<Value>) =>
    async (...input: Input) => {
      await follow()
      return call(...input)
    }
  const { deliveries, pages, testHelpers } = engine
  return {
    ...engine,
    deliveries: { ...deliveries, claim: following(deliveries.claim) },
    pages: { ...pages, checkout: following(pages.checkout), invoice: following(pages.invoice) },
    testHelpers: testHelpers && {
      ...testHelpers,
      readClock: following(testHelpers.readClock),
      advanceClock: following(testHelpers.advanceClock),
    },
    authenticate: following(engine.authenticate),
    reconcile: following(engine.reconcile),
  }
}
