import {
  delivery_lease_ms,
  type Engine,
  type FinishedAttempt,
  iso,
  type SendableDelivery,
} from '@quittance/core'
import type { AttemptOutcome } from './attempt.ts'
import { longest_attempt_ms, type Sender } from './sender.ts'
import { signatureHeader } from './signature.ts'

type Around = Pick<Engine, 'clock' | 'brand' | 'logger'>

/** Whether its lease outlasts the longest possible attempt, by a clock that has not gone back since. */
export function isInTime({ clock, logger }: Around, { id, lease_until }: SendableDelivery): boolean {
  const left_ms = Date.parse(lease_until) - clock.real()
  const in_time = left_ms > longest_attempt_ms && left_ms <= delivery_lease_ms
  if (!in_time)
    logger.warn('a delivery is not sent, since somebody else may have it before its attempt is over', {
      delivery: id,
    })
  return in_time
}

/** An attempt that this process has made. */
export interface MadeAttempt extends FinishedAttempt {
  delivery: SendableDelivery
}

/**
 * Signs a delivery and posts it once. The attempt has engine times, and retry delays count from `ended_at`. The
 * signature's `t` is the real time of sending, even if the sandbox clock was moved. Never rejects.
 */
export async function makeAttempt(
  engine: Around,
  sender: Sender,
  delivery: SendableDelivery,
): Promise<MadeAttempt> {
  const started_at = iso(engine.clock.now())
  const outcome = await post(engine, sender, delivery)
  return { delivery, started_at, ended_at: iso(engine.clock.now()), ...outcome }
}

async function post(engine: Around, sender: Sender, delivery: SendableDelivery): Promise<AttemptOutcome> {
  const { brand, clock, logger } = engine
  const { url, event, secret, body } = delivery
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
    // A request that cannot be made is our mistake. It counts as an attempt, so that it is not tried for ever.
    logger.error('a delivery could not be sent', { delivery: delivery.id, event, fault: String(fault) })
    return { response_status: null, error: 'invalid response' }
  }
}
