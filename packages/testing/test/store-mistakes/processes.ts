import type { ClaimedDelivery, Store } from '@quittance/core'
import { type Mistake, type Mistakes, readsWith, unitsWith } from './planting.ts'

const changed_since = 'concurrency what was read before is found as another process has left it since'

/** What a process remembers until it writes something itself. */
function remembering(makes: (sound: Store, known: Map<string, unknown>) => Partial<Store>): Mistake {
  return (sound) => {
    const known = new Map<string, unknown>()
    return {
      async transaction(scope, work) {
        const result = await sound.transaction(scope, work)
        known.clear()
        return result
      },
      ...makes(sound, known),
    }
  }
}

async function remembered<Value>(
  known: Map<string, unknown>,
  key: unknown[],
  look: () => PromiseLike<Value>,
): Promise<Value> {
  const name = JSON.stringify(key)
  if (!known.has(name)) known.set(name, await look())
  return structuredClone(known.get(name)) as Value
}

/** Mistakes with what other processes do on the same rows. */
export const processMistakes: Mistakes = {
  'remembers rows that another process may change': {
    sentence: changed_since,
    makes: remembering((sound, known) =>
      readsWith(sound, (table, name, scope) => ({
        get: (id) => remembered(known, [name, scope, id], () => table.get(id)),
      })),
    ),
  },
  'remembers when something will be due': {
    sentence: changed_since,
    makes: remembering((sound, known) => ({
      nextDue: (after) => remembered(known, [after], () => sound.nextDue(after)),
    })),
  },
  'remembers the workspaces': {
    sentence: changed_since,
    makes: remembering((sound, known) => ({
      workspaces: (request) => remembered(known, [request], () => sound.workspaces(request)),
    })),
  },
  'remembers keys that another process may revoke': {
    sentence: 'concurrency a key and its workspace are found as another process has left them',
    makes: remembering((sound, known) => ({
      findApiKey: (hash) => remembered(known, [hash], () => sound.findApiKey(hash)),
    })),
  },
  'remembers endpoints that another process may change': {
    sentence: 'concurrency a claim returns the endpoint as another process has left it',
    makes: remembering((sound, known) => ({
      async claimDeliveries(request) {
        const claimed: ClaimedDelivery[] = []
        for (const one of await sound.claimDeliveries(request)) {
          const { workspace, livemode, id } = one.endpoint
          const endpoint = await remembered(known, [workspace, livemode, id], async () => one.endpoint)
          claimed.push({ ...one, endpoint })
        }
        return claimed
      },
    })),
  },
  'lists as due what it has written itself': {
    sentence: changed_since,
    makes: (sound) => {
      const own = new Set<string>()
      return {
        ...unitsWith(sound, (table, name) => ({
          async insert(row) {
            await table.insert(row)
            own.add(`${name} ${row.id}`)
          },
        })),
        due: async (request) =>
          (await sound.due(request)).filter(({ table, id }) => own.has(`${table} ${id}`)),
      }
    },
  },
  'claims nothing before it has filed something itself': {
    sentence: 'concurrency a claim takes what another process has filed',
    makes: (sound) => {
      let has_filed = false
      return {
        transaction(scope, work) {
          has_filed = true
          return sound.transaction(scope, work)
        },
        claimDeliveries: async (request) => (has_filed ? sound.claimDeliveries(request) : []),
      }
    },
  },
}
