import { checkInvariants, type Rows, readRows } from '@quittance/testing'
import type { Fleet } from './fleet.ts'
import { keyed } from './same-keys.ts'
import type { Workspace } from './workspaces.ts'

/** How many deliveries of a workspace may run at a time (specification: Limits). */
const parallel_per_workspace = 10

/**
 * Compares, once nothing waits, our rows with the processor's ledger and with what the receivers got: all numbered
 * invariants at rest, one payment per key, and every event received with its signature.
 */
export async function checkBooks(fleet: Fleet): Promise<void> {
  const { workspaces, receiver, watched, findings, children } = fleet
  const totals = { payments: 0, refunds: 0, events: 0 }
  for (const workspace of workspaces) {
    const rows = await readRows(fleet.store, { workspace: workspace.id, livemode: false })
    checkMoney(fleet, workspace, rows)
    checkKeys(fleet, rows)
    checkReceived(fleet, rows)
    totals.payments += rows.payments.length
    totals.refunds += rows.refunds.length
    totals.events += rows.events.length
    const most = receiver.most.get(workspace.id) ?? 0
    findings.expect(most <= parallel_per_workspace, `${most} deliveries of ${workspace.id} ran at a time`)
  }
  for (const event of receiver.refused) findings.expect(false, `${event} came with a signature that is none`)
  for (const charge of watched.twice_at_once) findings.expect(false, `${charge}: two refunds were under way`)
  for (const trouble of children.flatMap(({ troubles }) => troubles)) findings.expect(false, trouble)
  const posts = [...receiver.received.values()].flat().length
  Object.assign(findings.figures, {
    'payments and refunds in our rows': `${totals.payments} and ${totals.refunds}`,
    'charges and refunds asked of the processor': `${watched.calls.charges} and ${watched.calls.refunds}`,
    events: totals.events,
    'posts received with a valid signature': `${posts}, of these again: ${posts - receiver.received.size}`,
    'most deliveries of a workspace at a time': Math.max(...receiver.most.values()),
  })
}

function checkMoney({ processor, clock, findings }: Fleet, { id }: Workspace, rows: Rows): void {
  const here = ({ key }: { key: string }) => key.startsWith(`${id}.`)
  const found = checkInvariants({
    rows,
    now: new Date(clock.now()).toISOString(),
    charges: processor.ledger.charges().filter(here),
    refunded: processor.ledger.refunds().filter(here),
    quiet: true,
  })
  for (const { invariant, detail } of found) findings.expect(false, `${invariant}: ${detail}`)
}

function checkKeys({ findings, processor }: Fleet, { payments }: Rows): void {
  const of_keys = payments.filter(({ reference }) => keyed.test(reference ?? ''))
  for (const [key, made] of Map.groupBy(of_keys, ({ reference }) => reference)) {
    findings.expect(made.length === 1, `${key} made ${made.length} payments`)
    const charged = made.filter(
      ({ workspace, id }) => processor.ledger.charge(`${workspace}.${id}`)?.state.kind === 'approved',
    )
    findings.expect(charged.length <= 1, `${key} was charged ${charged.length} times`)
  }
}

function checkReceived({ findings, receiver }: Fleet, { events }: Rows): void {
  for (const event of events) {
    const bodies = receiver.received.get(event.id) ?? []
    findings.expect(bodies.length > 0, `${event.id} was never received`)
    findings.expect(
      bodies.every((body) => body === event.body),
      `${event.id} was received with other bytes than it was filed with`,
    )
  }
}
