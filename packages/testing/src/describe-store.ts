import { describeAnnouncements } from './store/describe-announcements.ts'
import { describeClaims } from './store/describe-claims.ts'
import { describeColumns } from './store/describe-columns.ts'
import { describeConcurrency } from './store/describe-concurrency.ts'
import { describeCopies } from './store/describe-copies.ts'
import { describeDue } from './store/describe-due.ts'
import { describeEquality } from './store/describe-equality.ts'
import { describeJoinedEngine } from './store/describe-joined-engine.ts'
import { describeJoining } from './store/describe-joining.ts'
import { describeLasting } from './store/describe-lasting.ts'
import { describeLeases } from './store/describe-leases.ts'
import { describeMigrations } from './store/describe-migrations.ts'
import { describePages } from './store/describe-pages.ts'
import { describeScopes } from './store/describe-scopes.ts'
import { describeSeveralRows } from './store/describe-several-rows.ts'
import { describeTransactions } from './store/describe-transactions.ts'
import { describeUniques } from './store/describe-uniques.ts'
import type { OpenStore } from './store/open-store.ts'
import { describe, suite_timeout } from './suite.ts'

/**
 * The contract of the storage port, sentence by sentence: a store is done when it passes. `open` is called at least once
 * for every test, and what it opens is closed after it.
 *
 * - `processes`: what it opens has `reopen`, for several stores on the same rows at a time.
 * - `lasts`: the rows outlive the store; if `processes` is false, `reopen` is called only after closing (default `processes`).
 * - `announces`: a reopened store hears the announcements of another, even those right before the other is closed, and is
 *   woken once when it begins to listen (default false).
 * - `joins`: the kinds of host transaction that the store can join (default none).
 */
export function describeStore(
  name: string,
  open: OpenStore,
  options: { processes: boolean; lasts?: boolean; announces?: boolean; joins?: readonly string[] },
): void {
  describe(`${name} keeps the contract of a store`, suite_timeout, () => {
    describeTransactions(open)
    describeScopes(open)
    describeUniques(open)
    describePages(open)
    describeColumns(open)
    describeSeveralRows(open)
    describeCopies(open)
    describeEquality(open)
    describeDue(open)
    describeClaims(open)
    describeLeases(open, options)
    describeConcurrency(open, options)
    if (options.lasts ?? options.processes) describeLasting(open)
    describeAnnouncements(open, { announces: options.announces ?? false })
    describeMigrations(open, options)
    describeJoining(open, options.joins ?? [])
    describeJoinedEngine(open, options.joins ?? [])
  })
}
