import type { DueRequest, DueRow, Store } from '@quittance/core'
import type { Mistakes } from './planting.ts'

const found_by_key = 'a workspace and environment is found by the hash of a key of either environment'
const changed_key =
  'a workspace and environment is found with its key as both are now, and not once either is deleted'
const listed_workspaces =
  'a workspace and environment is listed by `workspaces` once it has a row, by id and in pages'
const listed = '`due` and `nextDue` list the rows of all tables and scopes, earliest first'
const listed_at_once = '`due` and `nextDue` list rows of the same time by table, livemode, workspace and id'
const in_time = '`due` and `nextDue` find a row from its `due_at` on, and not a millisecond earlier'

const dueWith =
  (choose: (all: DueRow[], request: DueRequest) => DueRow[]) =>
  (sound: Store): Pick<Store, 'due'> => ({
    due: async (request) =>
      choose(await sound.due({ ...request, limit: 100_000 }), request).slice(0, request.limit),
  })

/** Mistakes with what is looked for over all scopes, and with what opens and wakes. */
export const timeMistakes: Mistakes = {
  'knows keys of the sandbox alone': {
    sentence: found_by_key,
    makes: (sound) => ({
      async findApiKey(hash) {
        const found = await sound.findApiKey(hash)
        return found?.key.livemode ? undefined : found
      },
    }),
  },
  'hides keys that are revoked': {
    sentence: changed_key,
    makes: (sound) => ({
      async findApiKey(hash) {
        const found = await sound.findApiKey(hash)
        return found?.key.revoked_at ? undefined : found
      },
    }),
  },
  'remembers that there was no such key': {
    sentence: changed_key,
    makes: (sound) => {
      const missed = new Set<string>()
      return {
        async findApiKey(hash) {
          const found = missed.has(hash) ? undefined : await sound.findApiKey(hash)
          if (found === undefined) missed.add(hash)
          return found
        },
      }
    },
  },
  'lists workspaces in the order of a language': {
    sentence: listed_workspaces,
    makes: (sound) => ({
      workspaces: async (request) =>
        (await sound.workspaces(request)).sort((one, other) => one.localeCompare(other)),
    }),
  },
  'lists workspaces from the beginning': {
    sentence: listed_workspaces,
    makes: (sound) => ({ workspaces: ({ limit }) => sound.workspaces({ limit }) }),
  },
  'forgets a table of what is due': {
    sentence: listed,
    makes: dueWith((all) => all.filter(({ table }) => table !== 'sync_runs')),
  },
  'forgets the live environment of what is due': {
    sentence: listed,
    makes: dueWith((all) => all.filter(({ livemode }) => !livemode)),
  },
  'lists what is due table by table': {
    sentence: listed,
    makes: dueWith((all) => all.sort((one, other) => (one.table < other.table ? -1 : 1))),
  },
  'lists what is due at the same time in any order': {
    sentence: listed_at_once,
    makes: dueWith((all) =>
      all.reverse().sort((one, other) => Date.parse(one.due_at) - Date.parse(other.due_at)),
    ),
  },
  'has too little of what is due': {
    sentence: listed,
    makes: dueWith((all, { limit }) => all.slice(0, Math.max(1, limit - 1))),
  },
  'takes for due what is earlier than now': {
    sentence: in_time,
    makes: dueWith((all, { at }) => all.filter(({ due_at }) => due_at < at)),
  },
  'takes for due what is due in this second': {
    sentence: in_time,
    makes: (sound) => ({
      due: (request) => sound.due({ ...request, at: request.at.replace(/\.\d+Z$/, '.999Z') }),
    }),
  },
  'goes on behind the time of a row that was due': {
    sentence: listed_at_once,
    makes: dueWith((all, { after }) => all.filter(({ due_at }) => after === null || due_at > after.due_at)),
  },
  'begins again where the row it goes on from is due no more': {
    sentence: '`due` and `nextDue` go on after a row that is no longer due, with those of the same time',
    makes: (sound) => ({
      async due({ after, ...request }) {
        const all = await sound.due({ ...request, after: null, limit: 100_000 })
        const named = all.map((row) => JSON.stringify(row))
        const place = named.indexOf(JSON.stringify(after))
        return all.slice(place + 1, place + 1 + request.limit)
      },
    }),
  },
  'has undefined for nothing that will be due': {
    sentence: '`due` and `nextDue` find the earliest times later than `after`',
    makes: (sound) => ({
      async nextDue(after) {
        const next = await sound.nextDue(after)
        // As of a query that found no row.
        return JSON.parse(JSON.stringify(next, (_, value) => value ?? undefined))
      },
    }),
  },
  'counts what is due at that very time as later': {
    sentence: in_time,
    makes: (sound) => ({
      nextDue: (after) => sound.nextDue(after && new Date(Date.parse(after) - 1).toISOString()),
    }),
  },
  'has the first of all deliveries whatever was asked for': {
    sentence: '`due` and `nextDue` find the earliest times later than `after`',
    makes: (sound) => ({
      nextDue: async (after) => ({
        ...(await sound.nextDue(after)),
        delivery: (await sound.nextDue(null)).delivery,
      }),
    }),
  },
  'cannot be migrated twice': {
    sentence: 'a migration is harmless when repeated, one after another or all at once',
    makes: (sound) => {
      let is_there = false
      return {
        async migrate() {
          if (is_there) throw new Error('there is such a table')
          is_there = true
          await sound.migrate()
        },
      }
    },
  },
  'has migrations that are pending for ever': {
    sentence: 'a migration is pending until it has run',
    makes: () => ({ migrations: { pending: async () => ['0001'], sql: () => 'CREATE TABLE payments' } }),
  },
  'has no migration pending before the first': {
    sentence: 'a migration is pending until it has run',
    makes: () => ({ migrations: { pending: async () => [], sql: () => 'CREATE TABLE payments' } }),
  },
  'announces deliveries to itself': {
    sentence:
      'an announcement of deliveries does nothing once the store is closed, and wakes nobody if the store hears no other process',
    makes: () => {
      const waiting = new Set<() => void>()
      return {
        onDeliveriesElsewhere(wake) {
          waiting.add(wake)
          return () => waiting.delete(wake)
        },
        announceDeliveries() {
          for (const wake of waiting) wake()
        },
      }
    },
  },
  'joins any handle': {
    sentence: 'a transaction of the host is refused at once if the store cannot join its handle',
    makes: (sound) => ({ join: () => sound }),
  },
}
