import { type Attempt, type Engine, inWords, iso, type LeasedDelivery } from '@quittance/core'
import type { AttemptOutcome } from '../sender/exchange.ts'
import type { Sender } from '../sender/sender.ts'
import { signatureHeader } from '../signature.ts'

type Around = Pick<Engine, 'clock' | 'brand' | 'logger'>

/**
 * Signs a delivery and posts it once. The attempt has engine times, and retry delays count from `ended_at`. The
 * signature's `t` is the real time of sending, even if the sandbox clock was moved. Null if nothing was sent, because it
 * cannot be signed or the request cannot be made, or if the sender does not say what became of it: that is our mistake, and
 * no attempt. Never rejects.
 */
export async function makeAttempt(
  { engine, sender }: { engine: Around; sender: Sender },
  delivery: LeasedDelivery,
): Promise<Attempt | null> {
  const started_at = iso(engine.clock.now())
  const outcome = await post(engine, sender, delivery)
  return outcome && { started_at, ended_at: iso(engine.clock.now()), ...outcome }
}

async function post(
  engine: Around,
  sender: Sender,
  delivery: LeasedDelivery,
): Promise<AttemptOutcome | null> {
  const { brand, clock, logger } = engine
  const { url, event, secret, body } = delivery
  if (secret === null) return null
  const t_seconds = Math.floor(clock.real() / 1000)
  const headers = {
    'Content-Type': 'application/json',
    'User-Agent': `${brand}-Webhooks/1`,
    [`${brand}-Event-Id`]: event,
    [`${brand}-Signature`]: signatureHeader(secret, t_seconds, body),
  }
  try {
    return await sender.send({ url, headers, body })
  } catch (fault) {
    logger.error('a delivery could not be sent', { delivery: delivery.id, event, fault: inWords(fault) })
    return null
  }
}
