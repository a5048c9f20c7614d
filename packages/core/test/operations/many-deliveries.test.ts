import { expect, it } from 'vitest'
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

async function cpuTime(run: () => unknown): Promise<number> {
  const before = process.cpuUsage()
  await run()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}
