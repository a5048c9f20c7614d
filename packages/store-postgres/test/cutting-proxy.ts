import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** What becomes of the next thing a client sends. */
export type Fate =
  /** It arrives, and the line is cut when the answer comes. */
  | 'lose answer'
  /** The line is cut before it arrives. */
  | 'lose request'
  /** The client’s line is cut, and the server gets it only when `deliver` is called. */
  | 'hold request'

export interface CuttingProxy {
  /** Leads to the database through the proxy. */
  connectionString: string
  /** How often clients have sent something. */
  readonly trips: number
  cutNext(fate: Fate): void
  /** Delivers what was held, and resolves when the server has answered or hung up. */
  deliver(): Promise<void>
  /** Cuts every connection, and each that is tried, until `mend`. */
  sever(): void
  /** How many were tried in vain. */
  readonly severed: number
  mend(): void
  /** From now on nothing comes through, and nobody hears of it: neither side hangs up. */
  freeze(): void
  /** Takes no new connection any more. */
  refuse(): void
  /** Takes no connection any more, and cuts those there are. */
  close(): Promise<void>
}

/** A line to Postgres that breaks at the worst moment. */
export async function cuttingProxy(connectionString: string): Promise<CuttingProxy> {
  const target = new URL(connectionString)
  const sockets = new Set<Socket>()
  let fate: Fate | undefined
  let held: { upstream: Socket; data: Buffer } | undefined
  let trips = 0
  let severing = false
  let severed = 0
  const server = createServer({ noDelay: true }, (client) => {
    if (severing) {
      severed += 1
      client.destroy()
      return
    }
    const upstream = connect(Number(target.port || 5432), target.hostname).setNoDelay(true)
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => sockets.delete(socket))
    }
    let lost = false
    upstream.on('data', (data) => {
      if (lost) client.destroy()
      else client.write(data)
    })
    upstream.on('close', () => client.destroy())
    client.on('close', () => held?.upstream === upstream || upstream.destroy())
    client.on('data', (data) => {
      trips += 1
      const now = fate
      fate = undefined
      if (now === 'hold request') held = { upstream, data }
      else if (now !== 'lose request') upstream.write(data)
      if (now === 'lose answer') lost = true
      else if (now !== undefined) client.destroy()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const through = new URL(connectionString)
  through.host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    connectionString: through.href,
    get trips() {
      return trips
    },
    cutNext(next) {
      fate = next
    },
    async deliver() {
      const { upstream, data } = held ?? {}
      if (upstream === undefined || data === undefined) throw new Error('nothing is held')
      const answered = new Promise<void>((resolve) => {
        upstream.once('data', () => resolve())
        upstream.once('close', () => resolve())
      })
      upstream.write(data)
      await answered
      upstream.destroy()
    },
    get severed() {
      return severed
    },
    sever() {
      severing = true
      for (const socket of sockets) socket.destroy()
    },
    mend() {
      severing = false
    },
    freeze() {
      for (const socket of sockets) socket.pause()
    },
    refuse() {
      server.close()
    },
    async close() {
      const closed = server.listening ? new Promise((resolve) => server.close(resolve)) : undefined
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}
