/** The one place that imports neverthrow. `Err` = refused and nothing was written; a fault throws. */
export { Err, err, errAsync, Ok, ok, okAsync, Result, ResultAsync } from 'neverthrow'
