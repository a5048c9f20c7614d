/** Calls between two processes in both directions, over the channel that `fork` opens. */
export interface Line<Theirs> {
  /** Rejects with what the other end threw, or if that end has exited. */
  ask<Name extends keyof Theirs & string>(
    name: Name,
    input: Question<Theirs[Name]>,
  ): Promise<Reply<Theirs[Name]>>
}

type Question<Call> = Call extends (input: infer Input) => unknown ? Input : never
type Reply<Call> = Call extends (input: never) => infer Output ? Awaited<Output> : never

type Message =
  | { kind: 'question'; id: number; name: string; input: unknown }
  | { kind: 'reply'; id: number; output: unknown }
  | { kind: 'fault'; id: number; fault: string }

/** A child as its parent sees it, or `process` in the child. */
interface End {
  readonly connected: boolean
  send?(message: Message): boolean
  on(event: 'message', hear: (message: Message) => void): unknown
  on(event: 'disconnect', end: () => void): unknown
}

/** `ours` are the calls that this end takes; they go over the line as JSON. */
export function openLine<Theirs>(end: End, ours: Record<string, (input: never) => unknown>): Line<Theirs> {
  const open = new Map<number, PromiseWithResolvers<unknown>>()
  let asked = 0
  const send = (message: Message) => {
    if (end.connected) end.send?.(message)
  }
  const answer = async ({ id, name, input }: Message & { kind: 'question' }) => {
    try {
      // The other end was compiled against the same types.
      send({ kind: 'reply', id, output: await ours[name]?.(input as never) })
    } catch (fault) {
      send({ kind: 'fault', id, fault: String(fault) })
    }
  }
  end.on('message', (message) => {
    if (message.kind === 'question') return void answer(message)
    const waiting = open.get(message.id)
    open.delete(message.id)
    if (message.kind === 'reply') waiting?.resolve(message.output)
    else waiting?.reject(new Error(message.fault))
  })
  end.on('disconnect', () => {
    for (const waiting of open.values()) waiting.reject(ended())
    open.clear()
  })
  return {
    ask(name, input) {
      if (!end.connected) return Promise.reject(ended())
      asked += 1
      const waiting = Promise.withResolvers<unknown>()
      open.set(asked, waiting)
      send({ kind: 'question', id: asked, name, input })
      // As above: the types of both ends are the same.
      return waiting.promise as Promise<never>
    },
  }
}

function ended(): Error {
  return new Error('the other process has ended')
}
