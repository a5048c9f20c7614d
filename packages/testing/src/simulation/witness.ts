import type { Scope } from '@quittance/core'
import { Book, type Write } from '../invariants/book.ts'
import { checkCommit } from '../invariants/check-commit.ts'
import type { Report, Violation } from '../invariants/moment.ts'
import { AnswersWitness } from './answers-witness.ts'
import { DeliveriesWitness } from './deliveries-witness.ts'
import { LeasesWitness } from './leases-witness.ts'
import { MoneyWitness } from './money-witness.ts'
import { noticeCommit } from './notice.ts'
import { NotificationsWitness } from './notifications-witness.ts'
import type { SimulatedProcess } from './process.ts'
import { addCounters, type Counters, type Situation } from './situations.ts'
import type { Testimony } from './testimony.ts'
import type { Timeline } from './timeline.ts'
import { changesTold, type Trace } from './trace.ts'

/** Sees all that goes through the ports of all processes, keeps the book, and reports at once what does not hold. */
export class Witness implements Testimony {
  readonly book = new Book()
  readonly violations: Violation[] = []
  readonly counters: Counters = {}
  readonly timeline: Timeline
  readonly trace: Trace
  readonly money: MoneyWitness
  readonly leases: LeasesWitness
  readonly deliveries: DeliveriesWitness
  readonly answers: AnswersWitness
  readonly notifications: NotificationsWitness

  constructor(timeline: Timeline, trace: Trace) {
    this.timeline = timeline
    this.trace = trace
    this.money = new MoneyWitness(this)
    this.leases = new LeasesWitness(this)
    this.deliveries = new DeliveriesWitness(this, this.leases)
    this.answers = new AnswersWitness(this)
    this.notifications = new NotificationsWitness(this)
  }

  readonly report: Report = (invariant, detail) => {
    this.violations.push({ invariant, detail })
    this.trace.note(() => `!! ${invariant}: ${detail}`)
  }

  readonly saw = (situation: Situation): void => {
    addCounters(this.counters, { [situation]: 1 })
  }

  commits(
    process: SimulatedProcess,
    { scope, now, writes }: { scope: Scope; now: string; writes: readonly Write[] },
  ) {
    const changes = this.book.commit(scope, writes)
    const commit = { ...scope, book: this.book, changes, now, clock_was_set: this.timeline.was_set }
    checkCommit(commit, this.report)
    noticeCommit(commit, this.saw)
    this.leases.commits(process, changes)
    this.deliveries.commits(changes)
    this.answers.commits(changes)
    this.trace.note(() => `  ${process.name} commits ${changesTold(changes)}`)
  }

  /** Takes what an engine or a dispatcher has logged. */
  hears(message: string, { id, status, processor }: Readonly<Record<string, unknown>> = {}): void {
    const situation = heard[message]
    if (situation !== undefined) this.saw(situation)
    // No fault of the network can explain it: what is sent twice, late or never does not contradict itself.
    if (message === 'the processor contradicts itself')
      this.report(
        `${id}`.startsWith('re_') ? 'M19' : 'M6',
        `${id} is ${status}; then the processor told ${processor}`,
      )
  }
}

const heard: Readonly<Record<string, Situation>> = {
  'a delivery lease was lost': 'a delivery lease was lost',
  'claiming deliveries fails': 'claiming deliveries failed',
  'recording attempts fails': 'attempts could not be recorded at first',
}
