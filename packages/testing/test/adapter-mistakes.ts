import type {
  ChargeState,
  Notification,
  Processor,
  RefundAnswer,
  RefundState,
  Verification,
} from '@quittance/core'
import {
  type LedgerCharge,
  type LedgerRefund,
  type SimulatedProcessor,
  simulatedProcessor,
} from '@quittance/processor-simulator'
import type { Shown } from './failing-sentences.ts'

/** What a mistaken adapter does otherwise than a sound one, and where its ledger shows it. */
export type Mistake = (sound: SimulatedProcessor) => Partial<Shown['processor']> & Pick<Shown, 'ledger'>

/** By what is wrong with an adapter, the sentence of the contract suite that finds it, and the mistake. */
export type ProcessorMistakes = Record<string, { sentence: string; makes: Mistake }>

/** A sound adapter but for one mistake, and its ledger. */
export function mistaken(makes: Mistake): Required<Shown> {
  const sound = simulatedProcessor()
  const { ledger = sound.ledger, ...wrong } = makes(sound)
  return { processor: { ...sound, ...wrong }, ledger }
}

/** A processor that knows a request by less than its whole key, and answers what it answered under that. */
export function underKeys(sound: SimulatedProcessor, known: (key: string) => string): ReturnType<Mistake> {
  const first = new Map<string, string>()
  const kept = (key: string) => {
    if (!first.has(known(key))) first.set(known(key), key)
    return first.get(known(key)) ?? key
  }
  return {
    charge: (request) => sound.charge({ ...request, key: kept(request.key) }),
    refund: (request) =>
      sound.refund({ ...request, key: kept(request.key), charge_key: kept(request.charge_key) }),
    void: (request) => sound.void({ ...request, key: kept(request.key) }),
    lookup: (request) => sound.lookup({ ...request, key: kept(request.key) }),
  }
}

export function telling(
  sound: SimulatedProcessor,
  tells: (told: Notification[]) => Notification[],
): Pick<Processor, 'notifications'> {
  const notifications: Processor['notifications'] = async (request) => {
    const page = await sound.notifications(request)
    return { ...page, notifications: tells(page.notifications) }
  }
  return { notifications }
}

export function withAnotherCode(told: Notification): Notification[] {
  if (told.of === 'refund' || told.state.kind !== 'returned') return [told]
  return [told, { ...told, id: `${told.id} again`, state: { ...told.state, return_code: 'R99' } }]
}

export function isChargeback({ of, state }: Notification): boolean {
  return of === 'charge' && state.kind === 'returned' && state.return_code === 'chargeback'
}

type VerifiedCard = Extract<Verification, { type: 'card' }>

export function verifying(
  sound: SimulatedProcessor,
  shows: (shown: VerifiedCard) => VerifiedCard,
): Pick<Processor, 'verify'> {
  const verify: Processor['verify'] = async (request) => {
    const shown = await sound.verify(request)
    return shown.kind === 'verified' && shown.type === 'card' ? shows(shown) : shown
  }
  return { verify }
}

/** It looks up all refunds of a token as if they were in this state. */
export function lookingUpAs(
  sound: SimulatedProcessor,
  token: string,
  state: RefundState,
): ReturnType<Mistake> {
  const lookup: Processor['lookup'] = async (request) =>
    sound.ledger.refund(request.key)?.token === token ? { kind: 'refund', state } : sound.lookup(request)
  return { lookup }
}

/** The second attempt is booked like the first. */
export function chargesAgainWhereNoAnswerCame(sound: SimulatedProcessor): ReturnType<Mistake> {
  const more: LedgerCharge[] = []
  const charge: Processor['charge'] = async (request) => {
    const answer = await sound.charge(request)
    const made = sound.ledger.charge(request.key)
    if (answer.kind === 'unanswered' && made !== null) more.push(made)
    return answer
  }
  return { charge, ledger: { ...sound.ledger, charges: () => [...sound.ledger.charges(), ...more] } }
}

/** It looks for a charge that stands, and makes one where there is none: a look-up finds the last one. */
export function chargesAgainWhatIs(over: ChargeState['kind']): Mistake {
  return (sound) => {
    const last = new Map<string, string>()
    const current = <Request extends { key: string }>(request: Request) => ({
      ...request,
      key: last.get(request.key) ?? request.key,
    })
    const charge: Processor['charge'] = async (request) => {
      const { key } = current(request)
      if (sound.ledger.charge(key)?.state.kind === over) last.set(request.key, `${key} again`)
      return sound.charge(current(request))
    }
    return { charge, lookup: (request) => sound.lookup(current(request)) }
  }
}

/** What is left of a charge is compared first, and booked later. */
export function comparesBeforeItRefunds(sound: SimulatedProcessor): ReturnType<Mistake> {
  const made = new Set<string>()
  const leftOf = (key: string) =>
    sound.ledger
      .refunds()
      .filter(({ charge_key, state }) => charge_key === key && state.kind !== 'refused')
      .reduce((left, { amount }) => left - amount, sound.ledger.charge(key)?.amount ?? 0)
  const refund: Processor['refund'] = async (request) => {
    const was_left = request.amount <= leftOf(request.charge_key)
    await Promise.resolve()
    const answer = await sound.refund(request)
    if (answer.kind !== 'refused' || answer.failure_code !== 'exceeds_balance' || !was_left) return answer
    made.add(request.key)
    return { kind: 'succeeded' }
  }
  const state = { kind: 'succeeded' } as const
  const refunds = () => sound.ledger.refunds().map((one) => (made.has(one.key) ? { ...one, state } : one))
  return { refund, ledger: { ...sound.ledger, refunds } }
}

/** What comes at once finds nothing, and each is booked. */
export function looksBeforeItRefunds(sound: SimulatedProcessor): ReturnType<Mistake> {
  const more: LedgerRefund[] = []
  const refund: Processor['refund'] = async (request) => {
    const was_there = sound.ledger.refund(request.key) !== null
    await Promise.resolve()
    const late = was_there ? null : sound.ledger.refund(request.key)
    if (late !== null) more.push(late)
    return sound.refund(request)
  }
  return { refund, ledger: { ...sound.ledger, refunds: () => [...sound.ledger.refunds(), ...more] } }
}

/** It leaves to its callers what of a charge can be refunded. */
export function givesBackWhatItIsAskedFor(sound: SimulatedProcessor): ReturnType<Mistake> {
  const about_money = ['exceeds_balance', 'charge_not_captured', 'charge_not_found', 'charge_returned']
  const given = <Outcome extends RefundAnswer>(outcome: Outcome) =>
    outcome.kind === 'refused' && about_money.includes(outcome.failure_code)
      ? ({ kind: 'succeeded' } as const)
      : outcome
  const refunds = () => sound.ledger.refunds().map((one) => ({ ...one, state: given(one.state) }))
  return {
    refund: async (request) => given(await sound.refund(request)),
    ledger: { ...sound.ledger, refunds },
  }
}
