import { describe, expect, it } from 'vitest'
import { Lines } from '../src/dispatcher/lines.ts'

const noon_ms = Date.parse('2026-01-31T12:00:00.000Z')
const second_ms = 1_000
const hour_ms = 3_600_000
const at = (ms: number) => new Date(noon_ms + ms).toISOString()
const attempt = { started_at: at(0), ended_at: at(0), response_status: 200, error: null }

describe('the places of attempts that have ended', () => {
  it('go to what was leased ahead, one each', () => {
    const lines = new Lines()
    lines.beginClaim(noon_ms)
    lines.add([delivery('c', 30 * second_ms), delivery('d', 30 * second_ms)])
    expect(lines.leavePlace(delivery('a', 30 * second_ms), attempt, noon_ms)).toBe(true)
    expect(lines.next(10).map(({ id }) => id)).toEqual(['c'])
  })

  it('go to the next claim where nothing waits for them, beside those of a line that runs dry', () => {
    const lines = new Lines()
    lines.beginClaim(noon_ms)
    lines.add([delivery('c', 30 * second_ms)])
    lines.leavePlace(delivery('a', 30 * second_ms), attempt, noon_ms)
    expect(lines.hasFreePlaces).toBe(false)
    lines.leavePlace(delivery('b', 30 * second_ms), attempt, noon_ms)
    expect(lines.hasFreePlaces).toBe(true)
    expect(lines.beginClaim(noon_ms)).toMatchObject([{ endpoint: 'we_1' }])
    expect(lines.hasFreePlaces).toBe(false)
  })

  it('that are left while it claims go to what it leases behind what waits', () => {
    const lines = new Lines()
    lines.beginClaim(noon_ms)
    lines.add([delivery('c', 30 * second_ms)])
    lines.leavePlace(delivery('a', 30 * second_ms), attempt, noon_ms)
    lines.leavePlace(delivery('b', 30 * second_ms), attempt, noon_ms)
    lines.add([delivery('d', 30 * second_ms), delivery('e', 30 * second_ms)])
    expect(lines.hasFreePlaces).toBe(false)
    expect(lines.next(10).map(({ id }) => id)).toEqual(['c', 'd'])
  })

  it('go to the next claim too where more are left while it claims than it leases ahead', () => {
    const lines = new Lines()
    lines.beginClaim(noon_ms)
    for (const id of ['a', 'b']) lines.leavePlace(delivery(id, 30 * second_ms), attempt, noon_ms)
    lines.add([delivery('c', 30 * second_ms)])
    expect(lines.next(10).map(({ id }) => id)).toEqual(['c'])
    expect(lines.hasFreePlaces).toBe(true)
    expect(lines.beginClaim(noon_ms)).toMatchObject([{ endpoint: 'we_1' }])
  })

  it('are gone where the lease was over when the claim was asked for: it has given them away already', () => {
    const lines = new Lines()
    lines.beginClaim(noon_ms)
    expect(lines.leavePlace(delivery('a', 0), attempt, noon_ms)).toBe(false)
    lines.add([delivery('c', 30 * second_ms), delivery('d', 30 * second_ms)])
    expect(lines.leavePlace(delivery('b', -second_ms), attempt, noon_ms)).toBe(false)
    expect(lines.next(10)).toEqual([])
  })

  it('are gone where what has ended is recorded before the claim has looked', () => {
    const lines = new Lines()
    lines.beginClaim(noon_ms)
    lines.leavePlace(delivery('a', 30 * second_ms), attempt, noon_ms)
    lines.forgetPlaces()
    lines.add([delivery('b', 30 * second_ms), delivery('c', 30 * second_ms)])
    expect(lines.next(10)).toEqual([])
    lines.leavePlace(delivery('d', 30 * second_ms), attempt, noon_ms)
    lines.forgetPlaces()
    expect(lines.next(10)).toEqual([])
  })

  it('are gone where the clock went back since the lease began: who looked before may have given them away', () => {
    const lines = new Lines()
    lines.beginClaim(noon_ms - hour_ms)
    lines.add([delivery('b', 30 * second_ms - hour_ms)])
    expect(lines.leavePlace(delivery('a', 30 * second_ms), attempt, noon_ms - hour_ms)).toBe(false)
    expect(lines.next(10)).toEqual([])
  })
})

/** `until_ms`: from noon to the end of its lease. */
function delivery(id: string, until_ms: number) {
  return {
    ...{ workspace: 'w', livemode: false, id, lease: 1, lease_until: at(until_ms), attempt_count: 0 },
    ...{ event: `evt_${id}`, endpoint: 'we_1', url: 'https://a.example', secret: 'whsec', body: '{}' },
    ...{ endpoint_changed_at: at(0), ahead: true, stopped: false },
  }
}
