import { type Mistakes, unitsWith } from './planting.ts'

const id_taken = 'a unique constraint holds for the ids of customers'
const value_taken = "a unique constraint holds for [ 'reference' ] of customers"

const isUnique = (fault: unknown) => String(fault).includes('unique constraint')

/** Mistakes with what is inserted, updated and deleted. */
export const writeMistakes: Mistakes = {
  'writes a row of another scope into its own': {
    sentence: 'a workspace and environment can neither see nor write the payments of any other',
    makes: (sound) =>
      unitsWith(sound, (table, _, scope) => ({ insert: (row) => table.insert({ ...row, ...scope }) })),
  },
  'updates its own row with that of another scope': {
    sentence: 'a workspace and environment rejects rows of any other, even if it has one of the same id',
    makes: (sound) =>
      unitsWith(sound, (table, _, scope) => ({ update: (row) => table.update({ ...row, ...scope }) })),
  },
  'replaces what has the id of an insert': {
    sentence: id_taken,
    makes: (sound) =>
      unitsWith(sound, (table) => ({
        insert: async (row) => {
          await table.delete(row.id)
          await table.insert(row)
        },
      })),
  },
  'replaces what has the id of an insert, and says that it did not': {
    sentence: 'a unique constraint holds for the ids of api_keys',
    makes: (sound) =>
      unitsWith(sound, (table) => ({
        insertNew: async (row) => {
          if (await table.insertNew(row)) return true
          if (await table.get(row.id)) await table.update(row)
          return false
        },
      })),
  },
  'leaves an insert out that is taken': {
    sentence: id_taken,
    makes: (sound) =>
      unitsWith(sound, (table) => ({ insert: async (row) => void (await table.insertNew(row)) })),
  },
  'does not know whether it inserted': {
    sentence: id_taken,
    makes: (sound) =>
      unitsWith(sound, (table) => ({
        insertNew: async (row) => {
          await table.insertNew(row)
          return true
        },
      })),
  },
  'expects no conflict but that of an id': {
    sentence: value_taken,
    makes: (sound) =>
      unitsWith(sound, (table) => ({
        insertNew: async (row) => {
          if (await table.get(row.id)) return false
          await table.insert(row)
          return true
        },
      })),
  },
  'takes every fault of an insert for a conflict': {
    sentence: 'a unit of work rejects every call of its `tx` once it gave Ok',
    makes: (sound) =>
      unitsWith(sound, (table) => ({
        insertNew: async (row) => Promise.resolve(table.insertNew(row)).catch(() => false),
      })),
  },
  'leaves an update out whose value is taken': {
    sentence: value_taken,
    makes: (sound) =>
      unitsWith(sound, (table) => ({
        update: async (row) => {
          await Promise.resolve(table.update(row)).catch((fault: unknown) => {
            if (!isUnique(fault)) throw fault
          })
        },
      })),
  },
  'inserts what it cannot update': {
    sentence: 'a unit of work refuses to update a row that does not exist',
    makes: (sound) =>
      unitsWith(sound, (table) => ({
        update: async (row) => {
          if (!(await table.insertNew(row))) await table.update(row)
        },
      })),
  },
  'updates no row without complaint': {
    sentence: 'a unit of work refuses to update a row that does not exist',
    makes: (sound) =>
      unitsWith(sound, (table) => ({
        update: async (row) => {
          if (await table.get(row.id)) await table.update(row)
        },
      })),
  },
  'does not say which row there is not': {
    sentence: 'a unit of work refuses to update a row that does not exist',
    makes: (sound) =>
      unitsWith(sound, (table) => ({
        update: async (row) => {
          if (!(await table.get(row.id))) throw new Error('0 rows were updated')
          await table.update(row)
        },
      })),
  },
  'never changes when a row was created': {
    sentence: 'a row of payments is replaced in every column by an update',
    makes: (sound) =>
      unitsWith(sound, (table) => ({
        update: async (row) => {
          const before = await table.get(row.id)
          await table.update(before === undefined ? row : { ...row, created_at: before.created_at })
        },
      })),
  },
  'complains of a row that was deleted before': {
    sentence: 'a unit of work finds no row that was deleted, and does nothing when it deletes a missing one',
    makes: (sound) =>
      unitsWith(sound, (table) => ({
        delete: async (id) => {
          if (!(await table.get(id))) throw new Error(`no row ${id}`)
          await table.delete(id)
        },
      })),
  },
  'updates after what was called later': {
    sentence: 'rows requested together take effect in the order of the calls',
    makes: (sound) =>
      unitsWith(sound, (table) => ({
        update: async (row) => {
          const copy = structuredClone(row)
          await Promise.resolve()
          await table.update(copy)
        },
      })),
  },
  'inserts after a page that was called later': {
    sentence:
      'rows requested together take effect in the order of the calls, pages and a final lease included',
    makes: (sound) =>
      unitsWith(sound, (table) => ({
        insert: async (row) => {
          const copy = structuredClone(row)
          await Promise.resolve()
          await table.insert(copy)
        },
      })),
  },
}
