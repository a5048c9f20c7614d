/**
 * A state machine is a list of rows with the specification's own columns: from which status, on which
 * trigger, to which status, and which event that announces. `from: null` is the table's "(none)".
 */
export interface Transition<Status extends string, Trigger extends string, Event extends string = never> {
  from: Status | null
  on: Trigger
  to: Status
  emits?: Event
}

/** The row for this status and trigger, or undefined where the table has none: the trigger does not apply. */
export function transitionFor<Row extends Transition<string, string, string>>(
  rows: readonly Row[],
  from: string | null,
  on: string,
): Row | undefined {
  return rows.find((row) => row.from === from && row.on === on)
}
