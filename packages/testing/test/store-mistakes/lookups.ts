import { tables } from '@quittance/core'
import { reading } from '../../src/store/opened.ts'
import { type Mistakes, tablesWith, unitsWith } from './planting.ts'

const folded = (text: unknown) => (typeof text === 'string' ? text.toLowerCase() : text)
/** As SQL's LIKE has it, with patterns of letters, digits and spaces alone. */
const isLike = (value: unknown, pattern: unknown) =>
  value === pattern ||
  new RegExp(`^${`${pattern}`.replaceAll('%', '.*').replaceAll('_', '.')}$`).test(`${value}`)

const everything = { where: {}, limit: 100_000 }

/** What a page leaves of `where` when it takes only some of it. */
const only = (where: object, isTaken: (column: string, value: unknown, index: number) => boolean) =>
  Object.fromEntries(Object.entries(where).filter(([column, value], index) => isTaken(column, value, index)))

/** Mistakes with ids, pages, scopes and what is unique. */
export const lookupMistakes: Mistakes = {
  'has the lowest id first': {
    sentence: 'a page has the highest id first, in the order of bytes, in a read',
    makes: (sound) =>
      tablesWith(sound, (table) => ({
        page: async (request) => (await table.page(request)).reverse(),
      })),
  },
  'has ids in the order of a language': {
    sentence: 'a page has the highest id first, in the order of bytes, in a read',
    makes: (sound) =>
      tablesWith(sound, (table) => ({
        page: async (request) =>
          (await table.page(request)).sort((one, other) => other.id.localeCompare(one.id)),
      })),
  },
  'has the newest row first': {
    sentence: 'a page has the highest id first, in the order of bytes, in a read',
    makes: (sound) =>
      tablesWith(sound, (table) => ({
        page: async (request) =>
          (await table.page(request)).sort((one, other) =>
            `${one.created_at}` < `${other.created_at}` ? 1 : -1,
          ),
      })),
  },
  'begins a page with the row of its cursor': {
    sentence: 'a page has only ids below `after`, which need not exist, in a read',
    makes: (sound) =>
      tablesWith(sound, (table) => ({
        page: ({ after, ...request }) =>
          table.page(after === undefined ? request : { ...request, after: `${after}\0` }),
      })),
  },
  'finds nothing behind a cursor whose row is gone': {
    sentence: 'a page has only ids below `after`, which need not exist, in a read',
    makes: (sound) =>
      tablesWith(sound, (table) => ({
        page: async (request) =>
          request.after === undefined || (await table.get(request.after)) ? table.page(request) : [],
      })),
  },
  'gives one more row than it was asked for': {
    sentence: 'a page has at most `limit` rows, those with the highest ids, in a read',
    makes: (sound) =>
      tablesWith(sound, (table) => ({
        page: (request) => table.page({ ...request, limit: request.limit + 1 }),
      })),
  },
  'gives a thousand rows at most': {
    sentence: 'a unit of work can insert thousands of rows',
    makes: (sound) =>
      tablesWith(sound, (table) => ({
        page: (request) => table.page({ ...request, limit: Math.min(request.limit, 1_000) }),
      })),
  },
  'takes the rows of a page before it filters them': {
    sentence: 'a page of payments has the rows that equal `where` in status',
    makes: (sound) =>
      tablesWith(sound, (table) => ({
        page: async (request) => {
          const right = new Set((await table.page({ ...request, limit: 100_000 })).map(({ id }) => id))
          return (await table.page({ ...request, where: {} })).filter(({ id }) => right.has(id))
        },
      })),
  },
  'filters by nothing where null is asked for': {
    sentence: 'a page of payments has the rows that equal `where` in customer',
    makes: (sound) =>
      tablesWith(sound, (table) => ({
        page: (request) =>
          table.page({ ...request, where: only(request.where, (_, value) => value !== null) }),
      })),
  },
  'finds nothing that equals null': {
    sentence: 'a page of payments has the rows that equal `where` in customer',
    makes: (sound) =>
      tablesWith(sound, (table) => ({
        page: async (request) => (Object.values(request.where).includes(null) ? [] : table.page(request)),
      })),
  },
  'filters by the first column alone': {
    sentence: 'a page can be filtered by several columns at once, in a read or a unit of work',
    makes: (sound) =>
      tablesWith(sound, (table) => ({
        page: (request) =>
          table.page({ ...request, where: only(request.where, (_, _value, index) => index === 0) }),
      })),
  },
  'filters by the columns alone that have an index': {
    sentence: 'a page of customers can be filtered by any column that holds no object',
    makes: (sound) =>
      tablesWith(sound, (table, name) => {
        const indexed: readonly string[] = [...tables[name].filters, 'listed', 'status', 'endpoint']
        return {
          page: (request) =>
            table.page({ ...request, where: only(request.where, (column) => indexed.includes(column)) }),
        }
      }),
  },
  'compares numbers as texts in a filter': {
    sentence: 'a page of payments can be filtered by any column that holds no object',
    makes: (sound) =>
      tablesWith(sound, (table) => ({
        page: async (request) =>
          Object.values(request.where).some((value) => typeof value === 'number') ? [] : table.page(request),
      })),
  },
  'compares ids without their case': {
    sentence: 'texts that are only similar are ids of different rows of customers',
    makes: (sound) =>
      tablesWith(sound, (table) => ({
        get: async (id) => (await table.page(everything)).find((row) => folded(row.id) === folded(id)),
      })),
  },
  'takes an id for a pattern': {
    sentence: 'texts that are only similar are ids of different rows of customers',
    makes: (sound) =>
      tablesWith(sound, (table) => ({
        get: async (id) => (await table.page(everything)).find((row) => isLike(row.id, id)),
      })),
  },
  'takes the value of a filter for a pattern': {
    sentence: 'texts that are only similar are each found alone by number of invoices',
    makes: (sound) =>
      tablesWith(sound, (table) => ({
        page: async ({ where, ...request }) =>
          (
            await table.page({ ...request, where: only(where, (_, value) => typeof value !== 'string') })
          ).filter((row) => Object.entries(where).every(([column, value]) => isLike(row[column], value))),
      })),
  },
  'compares ids as numbers where both are': {
    sentence: 'texts that are only similar are ids of different rows of customers',
    makes: (sound) =>
      tablesWith(sound, (table) => ({
        get: async (id) =>
          (await table.page(everything)).find((row) => row.id === id || Number(row.id) === Number(id)),
      })),
  },
  'compares ids as a language does': {
    sentence: 'texts that are only similar are ids of different rows of customers',
    makes: (sound) =>
      tablesWith(sound, (table) => ({
        get: async (id) => (await table.page(everything)).find((row) => row.id.localeCompare(id) === 0),
      })),
  },
  'finds what every object has': {
    sentence: 'texts that are only similar are ids of different rows of customers',
    makes: (sound) =>
      tablesWith(sound, (table) => ({ get: async (id) => (await table.get(id)) ?? Reflect.get({}, id) })),
  },
  'forgets the environment where it looks for an id': {
    sentence: 'a workspace and environment can neither see nor write the payments of any other',
    makes: (sound) =>
      tablesWith(sound, (table, name, scope) => ({
        get: async (id) =>
          (await table.get(id)) ??
          sound.read({ ...scope, livemode: !scope.livemode }, (rows) => reading(rows, name).get(id)),
      })),
  },
  'forgets the environment in a page': {
    sentence: 'a workspace and environment has its own payments, even under ids that others use',
    makes: (sound) =>
      tablesWith(sound, (table, name, scope) => ({
        page: async (request) => [
          ...(await table.page(request)),
          ...(await sound.read({ ...scope, livemode: !scope.livemode }, (rows) =>
            reading(rows, name).page(request),
          )),
        ],
      })),
  },
  'has the scope of a page from what it is asked for': {
    sentence: 'a workspace and environment can neither see nor write the payments of any other',
    makes: (sound) =>
      unitsWith(sound, (_, name, scope) => ({
        page: (request) =>
          sound.read({ ...scope, ...request.where }, (rows) => reading(rows, name).page(request)),
      })),
  },
}
