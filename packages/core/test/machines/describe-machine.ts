import { describe, expect, it } from 'vitest'
import type { DomainError } from '../../src/errors/domain-error.ts'
import type { Result } from '../../src/kernel/result.ts'
import type { Transition } from '../../src/kernel/transitions.ts'

/** One row of the specification's table, written out by hand. */
export interface ExpectedRow {
  from: string | null
  on: string
  to: string
  event?: string
  /** The columns that get the time of the transition; every other stamp stays as it was. */
  stamps?: readonly string[]
}

export interface MachineUnderTest<Row extends object> {
  statuses: readonly (string | null)[]
  triggers: readonly string[]
  /** The machine's own rows: a status or a trigger that is not named above would not be visited. */
  rows: readonly Transition<string, string, string>[]
  expected: readonly ExpectedRow[]
  /** All columns that hold the time of some transition. */
  stamps: readonly (keyof Row & string)[]
  /** What a trigger without a row is refused with. */
  refusal: string
  /** A row in this status. It is frozen: a decision that writes to it throws. */
  row(status: string | null): Row
  decide(
    row: Row,
    trigger: string,
    now: string,
  ): Result<{ next: Row; event?: string | undefined }, DomainError>
}

const now = '2026-02-03T04:05:06.789Z'

/** Visits every cell of status × trigger: the table's rows happen, and everything else is refused. */
export function describeMachine<Row extends { status: unknown }>(
  name: string,
  machine: MachineUnderTest<Row>,
): void {
  describe(name, () => {
    for (const from of machine.statuses) {
      for (const on of machine.triggers) {
        const row = machine.expected.find((one) => one.from === from && one.on === on)
        if (row) it(`${from ?? '(none)'} on ${on} becomes ${row.to}`, () => expectTransition(machine, row))
        else it(`${from ?? '(none)'} on ${on} is refused`, () => expectRefusal(machine, { from, on }))
      }
    }

    it('has no row for a status or trigger that is not among these', () => {
      for (const { from, on, to } of machine.expected) {
        expect(machine.statuses).toContain(from)
        expect(machine.statuses).toContain(to)
        expect(machine.triggers).toContain(on)
      }
    })

    it('moves from no status to another but by these rows', () => {
      expect(moves(machine.rows)).toEqual(moves(machine.expected))
    })
  })
}

/** Without triggers, which some tests name in other words, and without how a record begins. */
function moves(rows: readonly Pick<ExpectedRow, 'from' | 'to'>[]): string[] {
  return rows.flatMap(({ from, to }) => (from === null ? [] : [`${from} -> ${to}`])).sort()
}

function expectTransition<Row extends { status: unknown }>(machine: MachineUnderTest<Row>, row: ExpectedRow) {
  const before = frozen(machine.row(row.from))
  const decided = machine.decide(before, row.on, now)
  if (decided.isErr()) throw new Error(`refused with ${decided.error.code}`)
  const { next, event } = decided.value
  expect(next.status).toBe(row.to)
  expect(event).toBe(row.event)
  expect(Object.keys(next)).toEqual(Object.keys(before))
  for (const column of machine.stamps) {
    expect({ [column]: next[column] }).toEqual({
      [column]: row.stamps?.includes(column) ? now : before[column],
    })
  }
}

function expectRefusal<Row extends { status: unknown }>(
  machine: MachineUnderTest<Row>,
  { from, on }: { from: string | null; on: string },
) {
  const before = machine.row(from)
  const decided = machine.decide(frozen(before), on, now)
  expect(decided.isErr() && decided.error.code).toBe(machine.refusal)
  expect(before).toEqual(machine.row(from))
}

function frozen<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null) return value
  for (const inner of Object.values(value)) frozen(inner)
  return Object.freeze(value)
}
