import { notOverdue } from './any-row.ts'
import { check } from './check.ts'

export const syncRuns = check('sync_runs', [], notOverdue)
