import { fail } from '../errors/domain-error.ts'
import type { ReadTable } from '../ports/store.ts'
import type { List } from '../schema/list.ts'
import { given } from './given.ts'
import { ok } from './result.ts'

/**
 * The pagination rules of every list (specification: Lists and pagination). Ids sort by time, so the id of
 * the last record is the cursor: a record created meanwhile sorts before it, and does not shift later pages.
 */
export async function page<Row extends { id: string; listed?: boolean }, Item>(
  table: ReadTable<Row>,
  query: { limit: number; starting_after?: string | undefined },
  shape: { where: { [Column in keyof Row]?: Row[Column] | undefined }; show: (row: Row) => Item },
) {
  const { limit, starting_after } = query
  if (starting_after !== undefined) {
    const cursor = await table.get(starting_after)
    if (!cursor || cursor.listed === false)
      return fail('parameter_invalid', {
        param: 'starting_after',
        message: 'No record of this list has this id.',
      })
  }
  const where = given(shape.where) as Partial<Row>
  const rows = await table.page({ where, after: starting_after, limit: limit + 1 })
  const list: List<Item> = {
    object: 'list',
    data: rows.slice(0, limit).map(shape.show),
    has_more: rows.length > limit,
  }
  return ok(list)
}

/** Every row that equals `where`, newest first. */
export async function* everyRow<Row extends { id: string }>(
  table: ReadTable<Row>,
  where: Partial<Row>,
): AsyncGenerator<Row, void> {
  const limit = 100
  let after: string | undefined
  let rows: Row[]
  do {
    rows = await table.page({ where, after, limit })
    yield* rows
    after = rows.at(-1)?.id
  } while (rows.length === limit)
}
