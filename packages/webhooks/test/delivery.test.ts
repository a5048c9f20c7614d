import Stripe from 'stripe'
import { describe, expect, it } from 'vitest'
import { verifyWebhook } from '../src/index.ts'
import {
  advance,
  deliveriesOf,
  dispatching,
  lastEvent,
  newCaller,
  pay,
  register,
  service,
} from './service.ts'
import { eventOf, type Received, webReceiver } from './web-receiver.ts'

const stripe = new Stripe('sk_test_of_nobody')

describe('the service sends POST to the endpoint URL', () => {
  it('with the event as body, its id, a signature and a User-Agent at version 1', async () => {
    const { receiver, secret, event, received } = await delivered()
    expect(receiver.received).toHaveLength(1)
    expect(received.method).toBe('POST')
    expect(received.headers).toMatchObject({
      'content-type': 'application/json',
      'service-event-id': event.id,
      'user-agent': 'Service-Webhooks/1',
    })
    const verified = verifyWebhook(received.body, signatureOf(received), secret)
    expect(verified._unsafeUnwrap()).toEqual(event)
    expect(verifyWebhook(received.body, signatureOf(received), `${secret}x`).isErr()).toBe(true)
  })

  it('signed as a verifier we did not write expects it', async () => {
    const { secret, event, received } = await delivered()
    const judged = stripe.webhooks.constructEvent(received.body, signatureOf(received), secret)
    expect(judged).toEqual(event)
    const tampered = received.body.toString().replace('succeeded', 'failed')
    expect(() => stripe.webhooks.constructEvent(tampered, signatureOf(received), secret)).toThrow('signature')
  })

  it('with the real time of sending in `t`, also where the sandbox’s clock was moved', async () => {
    const receiver = await webReceiver()
    const made = await service()
    dispatching(made)
    await advance(made, 40 * 86_400)
    const { secret } = await register(made, receiver.url)
    await pay(made)
    await expect.poll(() => receiver.received.length).toBe(1)
    const [received] = receiver.received
    const sent_s = Math.floor(made.clock.real() / 1000)
    expect(received?.headers['service-signature']).toMatch(new RegExp(`^t=${sent_s},v1=[0-9a-f]{64}$`))
    expect(received && verifyWebhook(received.body, signatureOf(received), secret).isOk()).toBe(true)
  })

  it('under the names of a brand of the host', async () => {
    const receiver = await webReceiver()
    const made = await service({ brand: 'Acme' })
    dispatching(made)
    await register(made, receiver.url)
    await pay(made)
    await expect.poll(() => receiver.received.length).toBe(1)
    const { id } = await lastEvent(made)
    expect(receiver.received[0]?.headers).toMatchObject({
      'acme-event-id': id,
      'acme-signature': expect.stringMatching(/^t=\d+,v1=/),
      'user-agent': 'Acme-Webhooks/1',
    })
  })

  it('to the endpoints of the workspace it belongs to, each with a signature of its own', async () => {
    const [one, other, stranger] = [await webReceiver(), await webReceiver(), await webReceiver()]
    const made = await service()
    const dispatcher = dispatching(made)
    const { engine } = made
    const registered = [await register(made, one.url), await register(made, other.url)]
    await register({ engine, caller: await newCaller(engine) }, stranger.url)
    await pay(made)
    await dispatcher.drain()
    for (const [index, { received }] of [one, other].entries()) {
      const [only] = received
      const secret = registered[index]?.secret ?? ''
      expect(only && verifyWebhook(only.body, signatureOf(only), secret).isOk()).toBe(true)
    }
    expect(stranger.received).toEqual([])
  })
})

describe('`GET /events/{id}` adds its deliveries', () => {
  it('with what the last attempt came to', async () => {
    const { made, event, endpoint } = await delivered()
    const at = new Date(made.clock.now()).toISOString()
    expect(await deliveriesOf(made, event.id)).toEqual([
      {
        ...{ endpoint, origin: 'emit', status: 'succeeded', attempt_count: 1 },
        ...{ created_at: at, last_attempt_at: at, next_attempt_at: null },
        ...{ last_response_status: 200, last_error: null },
      },
    ])
  })

  it.each([
    [503, 'http 503'],
    [404, 'http 404'],
    [302, 'redirect'],
  ])('with a %i as `%s`', async (status, last_error) => {
    const { made, event } = await delivered(() => status)
    const [delivery] = await deliveriesOf(made, event.id)
    const next_attempt_at = new Date(made.clock.now() + 60_000).toISOString()
    expect(delivery).toMatchObject({
      status: 'pending',
      last_response_status: status,
      last_error,
      next_attempt_at,
    })
  })

  it('with a private host as `host not allowed`, unless insecure destinations are let in', async () => {
    const receiver = await webReceiver()
    const lenient = await service()
    await register(lenient, receiver.url)
    await pay(lenient)
    const { store, clock } = lenient
    const strict = await service({ store, clock, allowInsecureDestinations: false })
    await dispatching(strict).drain()
    expect(receiver.received).toEqual([])
    const { id } = await lastEvent(lenient)
    expect(await deliveriesOf(lenient, id)).toMatchObject([
      { status: 'pending', attempt_count: 1, last_response_status: null, last_error: 'host not allowed' },
    ])
  })
})

describe('a retry and a resend carry the same event', () => {
  it('keeps the same event id and identical bytes on retry and resend', async () => {
    const answers = [500, 500]
    const { made, receiver, event, endpoint } = await delivered(() => answers.shift() ?? 200)
    await advance(made, 60)
    await advance(made, 5 * 60)
    expect(receiver.received).toHaveLength(3)
    const resent = await made.engine.events.resend(made.caller, { id: event.id, endpoint })
    expect(resent._unsafeUnwrap().deliveries.at(-1)).toMatchObject({ origin: 'resend', status: 'pending' })
    await expect.poll(() => receiver.received.length).toBe(4)
    const [first] = receiver.received
    for (const { body, headers } of receiver.received) {
      expect(headers['service-event-id']).toBe(event.id)
      expect(first?.body.equals(body)).toBe(true)
    }
    await expect
      .poll(async () => (await deliveriesOf(made, event.id)).map(({ origin, status }) => [origin, status]))
      .toEqual([
        ['emit', 'succeeded'],
        ['resend', 'succeeded'],
      ])
  })

  it('keeps the bytes although the payment has moved on meanwhile', async () => {
    const answers = [500]
    const { made, receiver, event } = await delivered(() => answers.shift() ?? 200)
    const payment = event.data.object.id
    await made.engine.testHelpers?.payment.chargeback(made.caller, { id: payment })
    await advance(made, 60)
    const of_event = receiver.received.filter((received) => eventOf(received) === event.id)
    expect(of_event.map(({ body }) => JSON.parse(body.toString()).data.object.status)).toEqual([
      'succeeded',
      'succeeded',
    ])
    expect(receiver.received.map((received) => JSON.parse(received.body.toString()).type)).toContain(
      'payment.returned',
    )
  })
})

/** One payment's event, after its first attempt was recorded. */
async function delivered(answer: (received: Received) => number = () => 200) {
  const receiver = await webReceiver(answer)
  const made = await service()
  const dispatcher = dispatching(made)
  const { id: endpoint, secret } = await register(made, receiver.url)
  await pay(made)
  await dispatcher.drain()
  const [received] = receiver.received
  if (received === undefined) throw new Error('nothing was received')
  return { made, receiver, endpoint, secret, event: await lastEvent(made), received }
}

const signatureOf = ({ headers }: Received): string => String(headers['service-signature'])
