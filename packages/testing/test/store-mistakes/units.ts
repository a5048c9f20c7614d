import { ok, type Store, type Transaction } from '@quittance/core'
import { withOwn } from '../../src/ports/around.ts'
import { reading, turnOfTheLoop } from '../../src/store/opened.ts'
import { type Mistakes, readsWith, unitsWith } from './planting.ts'
import { sideBySide } from './side-by-side.ts'

const sees_its_own = 'a unit of work sees what it has written itself'
const has_ended = 'a unit of work rejects every call of its `tx` once it gave Ok'
const closes =
  'a unit of work ends before its store is closed, even if it has to wait for others; closing again does nothing'

/** Every transaction, but for what `own` has. */
const transactionsWith = (sound: Store, own: Partial<Transaction>): Pick<Store, 'transaction'> => ({
  transaction: (scope, work) => sound.transaction(scope, (tx) => work(withOwn(tx, own))),
})

/** Mistakes with how units of work begin and end, and with what runs beside them. */
export const unitMistakes: Mistakes = {
  'commits what gave Err': {
    sentence: 'a unit of work is without effect when it gives Err',
    makes: (sound) => ({
      async transaction(scope, work) {
        const done = await sound.transaction(scope, async (tx) => ok(await work(tx)))
        if (done.isErr()) throw new Error('what was Ok is Err')
        return done.value
      },
    }),
  },
  'commits what threw': {
    sentence: 'a unit of work is without effect when it throws, and rejects with what was thrown',
    makes: (sound) => ({
      async transaction(scope, work) {
        const done = await sound.transaction(scope, async (tx) => {
          const [outcome] = await Promise.allSettled([(async () => work(tx))()])
          return ok(outcome)
        })
        const outcome = done.unwrapOr(undefined)
        if (outcome?.status !== 'fulfilled') throw outcome?.reason
        return outcome.value
      },
    }),
  },
  'has a fault of its own for what was thrown': {
    sentence: 'a unit of work is without effect when it throws, and rejects with what was thrown',
    makes: (sound) => ({
      transaction: (scope, work) =>
        sound.transaction(scope, work).catch((cause) => {
          throw new Error('rolled back', { cause })
        }),
    }),
  },
  'gives a copy of the value': {
    sentence: 'a unit of work resolves to the very value or refusal that its work gives',
    makes: (sound) => ({
      transaction: async (scope, work) =>
        (await sound.transaction(scope, work)).map((value) => structuredClone(value)),
    }),
  },
  'takes every work for a promise': {
    sentence: 'a unit of work accepts work whose result has `then` and no other method of a promise',
    makes: (sound) => ({
      transaction: (scope, work) =>
        sound.transaction(scope, (tx) => (work(tx) as ReturnType<typeof work> & Promise<never>).finally()),
    }),
  },
  'answers before it commits': {
    sentence: 'concurrency a read sees every transaction that has resolved',
    makes: (sound) => ({
      transaction: (scope, work) =>
        new Promise((resolve, reject) => {
          const unit = sound.transaction(scope, async (tx) => {
            const result = await work(tx)
            if (result.isOk()) resolve(result)
            await turnOfTheLoop()
            return result
          })
          unit.then(resolve, reject)
        }),
    }),
  },
  'does not see what the unit has written, by id': {
    sentence: sees_its_own,
    makes: (sound) =>
      unitsWith(sound, (_, name, scope) => ({
        get: (id) => sound.read(scope, (rows) => reading(rows, name).get(id)),
      })),
  },
  'locks a row as it was before the unit': {
    sentence: sees_its_own,
    makes: (sound) =>
      unitsWith(sound, (_, name, scope) => ({
        lock: (id) => sound.read(scope, (rows) => reading(rows, name).get(id)),
      })),
  },
  'does not see what the unit has written, in pages': {
    sentence: sees_its_own,
    makes: (sound) =>
      unitsWith(sound, (_, name, scope) => ({
        page: (request) => sound.read(scope, (rows) => reading(rows, name).page(request)),
      })),
  },
  'reads on after the unit': {
    sentence: has_ended,
    makes: (sound) =>
      unitsWith(sound, (table, name, scope) => ({
        get: (id) =>
          Promise.resolve(table.get(id)).catch(() =>
            sound.read(scope, (rows) => reading(rows, name).get(id)),
          ),
      })),
  },
  'locks scopes on after the unit': {
    sentence: has_ended,
    makes: (sound) => transactionsWith(sound, { lockScope: async () => {} }),
  },
  'gives its handle on after the unit': {
    sentence: has_ended,
    makes: (sound) => transactionsWith(sound, { native: {} }),
  },
  'shows reads what is not committed': {
    sentence: 'concurrency a read sees nothing of a transaction that is still open',
    makes: (sound) => {
      const open = new Set<Transaction>()
      return {
        transaction: (scope, work) =>
          sound.transaction(scope, async (tx) => {
            open.add(tx)
            return await Promise.resolve(work(tx)).finally(() => open.delete(tx))
          }),
        ...readsWith(sound, (table, name) => ({
          async get(id) {
            for (const tx of open) return (await reading(tx, name).get(id)) ?? table.get(id)
            return table.get(id)
          },
        })),
      }
    },
  },
  'has a fault of its own for what a read threw': {
    sentence: 'concurrency a read rejects with what its work throws',
    makes: (sound) => ({
      read: (scope, work) =>
        sound.read(scope, work).catch((cause) => {
          throw new Error('nothing was read', { cause })
        }),
    }),
  },
  'closes without waiting': { sentence: closes, makes: () => ({ close: async () => {} }) },
  'cannot be closed twice': {
    sentence: closes,
    makes: (sound) => {
      let is_closed = false
      return {
        async close() {
          if (is_closed) throw new Error('it is closed')
          await sound.close()
          is_closed = true
        },
      }
    },
  },
  'has lock wait for nobody': {
    sentence: 'concurrency no update is lost between units of work that lock the same row',
    makes: sideBySide('lock waits for nobody'),
  },
  'reads what it locks before it waits': {
    sentence: 'concurrency no update is lost between units of work that lock the same row',
    makes: sideBySide('lock reads before it waits'),
  },
  'has writes wait for nobody': {
    sentence: 'concurrency no `update` of a row locked by another unit is lost',
    makes: sideBySide('writes wait for nobody'),
  },
  'holds on to what a refused unit had locked': {
    sentence: 'concurrency a unit that has locked a row keeps no other unit waiting once it gave Err',
    makes: sideBySide('locks outlast a refusal'),
    hangs: 'hangs',
  },
  'locks no scope': {
    sentence: 'concurrency a unit that holds a scope shared ends before another holds it exclusive',
    makes: sideBySide('a scope is never locked'),
  },
  'has one holder of a scope, shared or not': {
    sentence: 'concurrency two units may both hold a scope shared',
    makes: sideBySide('a scope has one holder'),
    hangs: 'hangs',
  },
  'reads all as it was when the unit began': {
    sentence:
      'concurrency a unit that has locked a row reads all that earlier holders have committed, whatever it read before',
    makes: sideBySide('all is read as it was in the beginning'),
  },
  'refuses whose insert comes second': {
    sentence:
      'concurrency a unit that found no row with `get`, and whose `insert` then comes too late, is run again and keeps only that run',
    makes: sideBySide('whoever comes second is refused'),
  },
  'commits a unit row by row': {
    sentence: 'concurrency a read that sees a unit’s row of customers also sees its row of cursors',
    makes: sideBySide('a unit is committed row by row'),
  },
}
