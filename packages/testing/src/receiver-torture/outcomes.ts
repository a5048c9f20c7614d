import { alike, isMadeOf, shown } from './effects.ts'
import { type ActedOn, inOrder, type SentEvent } from './stories.ts'
import { type Bench, isTaken, type Told, type Trial } from './trial.ts'

/** A receiver does its work if there is money, and once. */
export const outcomes: readonly Trial[] = [
  { rule: 'what has not succeeded is not acted on as if it had', run: notYet },
  {
    rule: 'what counts is the status of the object, not the type of the event',
    run: onlyOfPayments(goesByStatus),
  },
  {
    rule: 'a payment that came back is not paid because an older event arrives late',
    run: onlyOfPayments(staysReturned),
  },
  {
    rule: 'a first attempt that failed changes nothing about the second',
    run: onlyOfPayments(async (bench) => {
      const usual = await bench.usual()
      const in_order = await bench.after((story) => [story.first_attempt, ...inOrder(story)])
      const late = await bench.after((story) => [...inOrder(story), story.first_attempt])
      if (alike(in_order, late)) return []
      const sent =
        'the events of a payment, then the payment.failed of an earlier one under the same `reference`'
      const expected = `what comes of them with the payment.failed first: ${shown(in_order)}; or without it: ${shown(usual)}`
      return [{ sent, expected, got: shown(late) }]
    }),
  },
  {
    rule: 'a payment and its checkout session are acted on once, not each',
    run: onlyOfPayments(async (bench) => {
      const neither = await bench.after(() => [])
      const by_payment = await bench.after((story) => [soldOnPage(story).payment])
      const by_page = await bench.after((story) => [soldOnPage(story).page])
      // If only one of them, or only both together, make the receiver act, there is nothing to do twice.
      if (alike(by_payment, neither) || !alike(by_payment, by_page)) return []
      const by_both = await bench.after((story) => Object.values(soldOnPage(story)))
      if (alike(by_both, by_payment)) return []
      const sent = 'a payment.succeeded, then the checkout_session.completed that names the payment'
      return [{ sent, expected: `as after each alone: ${shown(by_payment)}`, got: shown(by_both) }]
    }),
  },
]

const not_paid = 'not what a payment that succeeded comes to'

/** The event on which the receiver acts is still to come, or will never come. */
async function notYet(bench: Bench) {
  const usual = await bench.usual()
  for (const [sent, events] of Object.entries(without_success[bench.acts_on])) {
    if (sent.includes('debit') && bench.currency !== 'USD') continue
    const effects = await bench.after(events)
    if (!alike(effects, usual)) continue
    const expected = `not what a ${bench.acts_on} comes to`
    return [{ sent: `${sent}, and nothing else`, expected, got: shown(effects) }]
  }
  return []
}

/** A payment can have been returned by the time its `payment.succeeded` is written. */
async function goesByStatus(bench: Bench) {
  const usual = await bench.usual()
  const ahead = await bench.after(saysReturned)
  const sent = 'what comes usually, but the payment.succeeded with an object that already says `returned`'
  if (alike(usual, ahead)) return [{ sent, expected: not_paid, got: shown(ahead) }]
  const never_paid = await bench.told()
  const returned = never_paid.filed('payment.returned')
  await bench.deliverAll(insteadOfSuccess(never_paid, [returned]))
  // A receiver that does nothing about a return before the payment.succeeded, even one that says `returned`, may be right: it
  // refuses the return until then, or remembers it.
  if (!isTaken(await bench.deliver(returned)) || !(await bench.hasActed(never_paid))) return []
  const expected = await bench.effects(never_paid)
  const paid_first = await bench.after(paidThenReturned)
  const got = await bench.after((story) => [...saysReturned(story), story.filed('payment.returned')])
  if (alike(got, expected) || !alike(got, paid_first)) return []
  const what_comes = `what comes of the payment.returned alone: ${shown(expected)}`
  return [{ sent: `${sent}, then its payment.returned`, expected: what_comes, got: shown(got) }]
}

async function staysReturned(bench: Bench) {
  const usual = await bench.usual()
  const in_order = await bench.after(paidThenReturned)
  // A receiver that does nothing on a return has nothing to get wrong here.
  if (alike(in_order, usual)) return []
  const alone = await bench.after((story) => [
    story.filed('payment.returned'),
    ...insteadOfSuccess(story, []),
  ])
  const overtaken = await bench.after((story) => [story.filed('payment.returned'), ...inOrder(story)])
  // It may have sent nothing, as after the return alone, and yet know of the payment, as after both in order.
  if (isMadeOf(overtaken, [in_order, alone]) && !alike(overtaken, usual)) return []
  const sent = 'a payment.returned, then the payment.succeeded from before it'
  const expected = `what comes of them in order: ${shown(in_order)}; or of the payment.returned alone: ${shown(alone)}`
  return [{ sent, expected, got: shown(overtaken) }]
}

function insteadOfSuccess(story: Told, others: readonly SentEvent[]): readonly SentEvent[] {
  return inOrder(story).flatMap((one) => (one.type === 'payment.succeeded' ? others : [one]))
}

function paidThenReturned(story: Told): readonly SentEvent[] {
  return [...inOrder(story), story.filed('payment.returned')]
}

function saysReturned(story: Told): readonly SentEvent[] {
  return insteadOfSuccess(story, [story.filed('payment.succeeded', { status: 'returned' })])
}

type Events = (story: Told) => readonly SentEvent[]

const without_success: Record<ActedOn, Record<string, Events>> = {
  'payment.succeeded': {
    'a payment.processing': ({ filed }) => [filed('payment.processing')],
    'a payment.failed': ({ filed }) => [filed('payment.failed')],
    'a payment.canceled': ({ filed }) => [filed('payment.canceled')],
    'a payment.returned of a debit that was refused': ({ filed }) => [
      filed('payment.returned', refused_debit),
    ],
  },
  'checkout_session.completed': {
    'a checkout_session.expired': ({ filed }) => [filed('checkout_session.expired')],
    'a checkout_session.completed whose payment is a bank debit, still `processing`': acceptedDebit,
    'a checkout_session.completed by a bank debit, then its payment.failed': (story) => [
      ...acceptedDebit(story),
      story.filed('payment.failed', debit),
    ],
    'a checkout_session.completed by a bank debit, then its payment.returned': (story) => [
      ...acceptedDebit(story),
      story.filed('payment.returned', refused_debit),
    ],
  },
  'refund.succeeded': {
    'a refund.pending': ({ before }) => before,
    'a refund.failed': ({ before, filed }) => [...before, filed('refund.failed')],
  },
}

const debit = { payment_method_type: 'us_bank_account' }

/** Straight from `processing`. */
const refused_debit = {
  ...debit,
  failure: {
    code: 'bank_return',
    message: 'The account has too little.',
    decline_code: null,
    return_code: 'R01',
  },
  succeeded_at: null,
}

/** The page is complete once the debit is accepted (specification, "Checkout session"). */
function acceptedDebit({ filed }: Told): readonly SentEvent[] {
  return [filed('payment.processing', debit), filed('checkout_session.completed')]
}

function soldOnPage({ filed }: Told) {
  const page = filed('checkout_session.completed')
  return { payment: filed('payment.succeeded', { checkout_session: page.data.object.id }), page }
}

function onlyOfPayments(run: Trial['run']): Trial['run'] {
  return async (bench) => (bench.acts_on === 'refund.succeeded' ? [] : run(bench))
}
