import { expect, it } from 'vitest'
import { accepted, pay } from '../../../testing/src/builders/requests.ts'
import { openSandbox } from '../../../testing/src/builders/sandbox.ts'
import { rowsOf, seed } from '../../../testing/src/store/opened.ts'
import { sampleRow } from '../../../testing/src/store/sample-row.ts'
import { type DeliveryRow, delivery } from '../../src/deliveries/delivery.ts'
import { showWithDeliveries } from '../../src/events/show-event.ts'
import { render } from '../../src/kernel/render.ts'
import type { ReadTable } from '../../src/ports/store.ts'

const scope = { workspace: 'acme', livemode: false }
const earlier = sampleRow('deliveries', scope, 'earlier', { endpoint: 'earlier' })
const newest = sampleRow('deliveries', scope, 'newest', { endpoint: 'newest' })
const newest_first = [newest, ...Array<DeliveryRow>(200_000).fill(earlier)]

/** A table that costs nothing to read. */
function tableOf(rows: readonly DeliveryRow[]): ReadTable<DeliveryRow> {
  let read = 0
  return {
    get: async () => undefined,
    async page({ limit }) {
      read += limit
      return rows.slice(read - limit, read)
    },
  }
}

// Each delivery moved all that were there already: an event with 50,000 stopped the process for a second.
it('shows an event with any number of deliveries for little more than it costs to render them', async () => {
  const event = sampleRow('events', scope, 'evt', { body: '{}' })
  const show = async () => (await showWithDeliveries(tableOf(newest_first), event)).deliveries
  const shown = await show()
  expect(shown).toHaveLength(newest_first.length)
  expect(shown.at(-1)).toMatchObject({ endpoint: 'newest' })
  // Once is enough: what moves all each time never comes near, and one of the two may run on a slower core.
  const timesAsMuch = async () => {
    const rendering_ms = await cpuTime(() => newest_first.map((row) => render(delivery, row)))
    return (await cpuTime(show)) / rendering_ms
  }
  await expect.poll(timesAsMuch).toBeLessThan(5)
})

it('shows each delivery of an event once and the oldest first, however many there are', async () => {
  const sandbox = await openSandbox()
  const { engine, caller } = sandbox
  accepted(await pay(sandbox, 'tok_test_visa'))
  const event = accepted(await engine.events.list(caller, {})).data[0]?.id ?? ''
  const endpoints = Array.from({ length: 250 }, (_, n) => `we_test_${1000 + n}`)
  const made = endpoints.map((endpoint, n) =>
    sampleRow('deliveries', sandbox.scope, `00000000-0000-7000-8000-00000000${1000 + n}`, {
      event,
      endpoint,
    }),
  )
  await seed(sandbox.store, sandbox.scope, rowsOf('deliveries', made))
  const { deliveries } = accepted(await engine.events.retrieve(caller, { id: event }))
  expect(deliveries.map(({ endpoint }) => endpoint)).toEqual(endpoints)
})

async function cpuTime(run: () => unknown): Promise<number> {
  const before = process.cpuUsage()
  await run()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}
