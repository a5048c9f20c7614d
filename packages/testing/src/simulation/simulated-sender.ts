import type { AttemptOutcome, AttemptRequest, Sender } from '@quittance/webhooks'
import { strikes } from './faults.ts'
import type { SimulatedProcess } from './process.ts'
import { type Behaviour, behaviours } from './receivers.ts'
import type { World } from './world.ts'

const all = Object.values(behaviours)
const bad = all.filter(({ error }) => error !== null)
const good = all.filter(({ error }) => error === null)

/** The sender's timeout, for everything up to the end of the response's head (specification: Limits). */
const timeout_ms = 15_000
const timed_out: AttemptOutcome = { response_status: null, error: 'timeout' }

/** Sends nothing: the outcome of an attempt is drawn from the ways in which receivers behave. */
export function simulatedSender(world: World, process: SimulatedProcess): Sender {
  return {
    send(request) {
      const attempt = world.witness.deliveries.sending(process, request)
      return new Promise<AttemptOutcome>((resolve) => {
        let over = false
        const end = (outcome: AttemptOutcome) => {
          over = true
          cancel()
          attempt.ended()
          resolve(outcome)
        }
        const cancel = process.clock.after(timeout_ms, () => end(timed_out))
        void world.scheduler.hold(process, async () => {
          // A request that is held for longer than the sender waits never arrives.
          if (over) return
          const { received, slow, ...outcome } = behaviourOf(world, request)
          if (received) attempt.received({ received, slow, ...outcome })
          if (!slow) end(outcome)
        })
      })
    },
    close: async () => {},
  }
}

function behaviourOf(world: World, { url }: AttemptRequest): Behaviour {
  const { random } = world
  const kind = new URL(url).hostname.split('.')[0]
  if (kind === 'down' || (kind === 'unwell' && random.below(2) === 0)) return random.pick(bad)
  return random.pick(strikes(world, 'receiver_misbehaves') ? bad : good)
}
