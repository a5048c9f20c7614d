import type { AnyRow } from '../../src/store/sample-row.ts'
import { columnsAs, type Mistakes, rowsAs, tablesWith, unitsWith } from './planting.ts'

const isTime = (value: unknown): value is string =>
  typeof value === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value)

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

/** Mistakes with what goes into a row and comes out of it. */
export const rowMistakes: Mistakes = {
  'gives numbers as texts': {
    sentence: 'a row of payments comes back with every column as it was written',
    makes: (sound) => columnsAs(sound, (value) => (typeof value === 'number' ? `${value}` : value)),
  },
  'has 32 bits for a number': {
    sentence: 'a row of payments comes back with every column as it was written',
    makes: (sound) => columnsAs(sound, (value) => (typeof value === 'number' ? value | 0 : value)),
  },
  'gives large numbers as bigint': {
    sentence: 'a row of payments comes back with every column as it was written',
    makes: (sound) =>
      columnsAs(sound, (value) => (typeof value === 'number' && value > 2 ** 31 ? BigInt(value) : value)),
  },
  'gives booleans as 0 and 1': {
    sentence: 'a row of api_keys comes back with every column as it was written',
    makes: (sound) => columnsAs(sound, (value) => (typeof value === 'boolean' ? Number(value) : value)),
  },
  'leaves out columns that are null': {
    sentence: 'a row of payments comes back with every column as it was written',
    makes: (sound) => columnsAs(sound, (value) => value ?? undefined),
  },
  'keeps an empty text as null': {
    sentence: 'a row of customers comes back with every column as it was written',
    makes: (sound) => columnsAs(sound, (value) => (value === '' ? null : value)),
  },
  'keeps times to the second': {
    sentence: 'a row of customers comes back with every column as it was written',
    makes: (sound) =>
      columnsAs(sound, (value) => (isTime(value) ? value.replace(/\.\d+Z$/, '.000Z') : value)),
  },
  'writes times without a fraction that is 0': {
    sentence: 'a unit of work is without effect when it gives Err',
    makes: (sound) => columnsAs(sound, (value) => (isTime(value) ? value.replace('.000Z', 'Z') : value)),
  },
  'gives times as Date': {
    sentence: 'a row of customers comes back with every column as it was written',
    makes: (sound) => columnsAs(sound, (value) => (isTime(value) ? new Date(value) : value)),
  },
  'keeps the keys of objects in an order of its own': {
    sentence: 'a row keeps the longest texts there are, and the keys of an object in their order',
    makes: (sound) =>
      columnsAs(sound, (value) =>
        isObject(value) && !Array.isArray(value)
          ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
          : value,
      ),
  },
  'gives objects as their JSON': {
    sentence: 'a row of payments comes back with every column as it was written',
    makes: (sound) => columnsAs(sound, (value) => (isObject(value) ? JSON.stringify(value) : value)),
  },
  'cuts texts at 65,535 characters': {
    sentence: 'a row of events keeps long texts in any column',
    makes: (sound) =>
      columnsAs(sound, (value) => (typeof value === 'string' ? value.slice(0, 65_535) : value)),
  },
  'keeps no spaces at the end of a text': {
    sentence: 'a row of customers comes back with every column as it was written',
    makes: (sound) => columnsAs(sound, (value) => (typeof value === 'string' ? value.trimEnd() : value)),
  },
  'normalizes texts': {
    sentence: 'a row of customers comes back with every column as it was written',
    makes: (sound) =>
      columnsAs(sound, (value) => (typeof value === 'string' ? value.normalize('NFC') : value)),
  },
  'undoubles quotes and backslashes': {
    sentence: 'a row of customers comes back with every column as it was written',
    makes: (sound) =>
      columnsAs(sound, (value) => (typeof value === 'string' ? value.replace(/(['\\])\1/g, '$1') : value)),
  },
  'takes U+FEFF at the beginning for no part of a text': {
    sentence: 'a row of customers comes back with every column as it was written',
    makes: (sound) =>
      columnsAs(sound, (value) => (typeof value === 'string' ? value.replace(/^\ufeff/, '') : value)),
  },
  'has no more than three bytes for a character': {
    sentence: 'a row of customers comes back with every column as it was written',
    makes: (sound) =>
      columnsAs(sound, (value) =>
        typeof value === 'string' ? value.replace(/[\u{10000}-\u{10ffff}]/gu, '?') : value,
      ),
  },
  'gives columns of its own beside those of the table': {
    sentence: 'a row of customers comes back with every column as it was written',
    makes: (sound) => rowsAs(sound, (row) => ({ ...row, rowid: 7 })),
  },
  'keeps a column that an update sets to null': {
    sentence: 'a row of payments is replaced in every column by an update',
    makes: (sound) =>
      unitsWith(sound, (table) => ({
        update: async (row) => {
          const before = await table.get(row.id)
          const kept = Object.entries(row).map(([column, value]) => [column, value ?? before?.[column]])
          await table.update({ ...row, ...Object.fromEntries(kept) })
        },
      })),
  },
  'merges what an update gives into an object': {
    sentence: 'a row of payments is replaced in every column by an update',
    makes: (sound) =>
      unitsWith(sound, (table) => ({
        update: async ({ metadata, ...row }) => {
          const before = (await table.get(row.id))?.metadata
          const merged = isObject(before) && isObject(metadata) ? { ...before, ...metadata } : metadata
          await table.update(metadata === undefined ? row : { ...row, metadata: merged })
        },
      })),
  },
  'writes its JSON into the row that it was given': {
    sentence:
      'a unit of work updates a locked row to what it is given: changed in place, changed back, or the same',
    makes: (sound) =>
      unitsWith(sound, (table) => ({
        update: async (row) => {
          await table.update(structuredClone(row))
          for (const [column, value] of Object.entries(row))
            if (isObject(value)) row[column] = JSON.stringify(value)
        },
      })),
  },
  'keeps the objects in a row that it was given': {
    sentence:
      'a row stays as it was written when the caller of insert changes its row of payments afterwards',
    makes: (sound) => {
      const given = new Map<string, unknown>()
      return tablesWith(sound, (table, name) => ({
        insert: async (row) => {
          await table.insert(row)
          given.set(`${name} ${row.id}`, row.metadata)
        },
        get: async (id) => {
          const row = await table.get(id)
          return row && { ...row, metadata: given.get(`${name} ${id}`) ?? row.metadata }
        },
      }))
    },
  },
  'reads what an insert is given after a turn of its own': {
    sentence: 'a row stays as it was written when the caller of insert changes its row during the call',
    makes: (sound) =>
      unitsWith(sound, (table) => ({
        insert: async (row) => {
          await Promise.resolve()
          await table.insert(row)
        },
      })),
  },
  'gives everybody in a unit the same object for a row': {
    sentence: 'a row stays as it was written when the caller of get changes what it got of payments',
    makes: (sound) =>
      unitsWith(sound, (table) => {
        const known = new Map<string, AnyRow | undefined>()
        return {
          get: async (id) => {
            if (!known.has(id)) known.set(id, await table.get(id))
            return known.get(id)
          },
        }
      }),
  },
}
