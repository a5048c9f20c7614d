import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { type Connection, Connections } from '../src/sender/connections.ts'

describe('a connection', () => {
  it('is used again while it is open', async () => {
    const { connections, opened, origin } = await receiver()
    const { connection } = await opened()
    connections.keep(connection)
    expect(connections.take(origin)).toBe(connection)
  })

  it('that has closed before it could be kept is not, and takes no place of one that is open', async () => {
    const { connections, opened, origin } = await receiver()
    const [first, second] = [await opened(), await opened()]
    await closedBy(first)
    connections.keep(first.connection)
    connections.keep(second.connection)
    expect(first.connection.client.destroyed).toBe(true)
    expect(connections.take(origin)).toBe(second.connection)
  })

  it('that its receiver closes while it is kept is let go, and makes room for another', async () => {
    const { connections, opened, origin } = await receiver()
    const [first, second] = [await opened(), await opened()]
    connections.keep(first.connection)
    await closedBy(first)
    expect(first.connection.client.destroyed).toBe(true)
    connections.keep(second.connection)
    expect(connections.take(origin)).toBe(second.connection)
  })

  it('that was let go is not held any longer', async () => {
    const { connections, opened } = await receiver()
    const { connection } = await opened()
    connections.drop(connection, new Error('not wanted'))
    const destroy = vi.spyOn(connection.client, 'destroy')
    connections.close()
    expect(destroy).not.toHaveBeenCalled()
  })
})

interface Opened {
  connection: Connection
  /** The receiver's side of it. */
  accepted: Socket
}

/** A receiver that answers 204, and connections to it, of which one is kept. */
async function receiver() {
  const server = createServer((socket) => {
    socket.on('error', () => {}).on('data', () => socket.write('HTTP/1.1 204 No Content\r\n\r\n'))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const origin = `http://127.0.0.1:${port}`
  const dial = async () => {
    const socket = connect(port, '127.0.0.1')
    await once(socket, 'connect')
    return socket
  }
  const connections = new Connections(dial, 1)
  onTestFinished(() => {
    connections.close()
    server.close()
  })
  const opened = async (): Promise<Opened> => {
    const accepting = once(server, 'connection')
    const connection = connections.take(origin)
    const { body } = await connection.client.request({ path: '/', method: 'POST' })
    await body.dump()
    const [accepted] = await accepting
    return { connection, accepted }
  }
  return { connections, opened, origin }
}

async function closedBy({ connection, accepted }: Opened): Promise<void> {
  const disconnected = once(connection.client, 'disconnect')
  accepted.destroy()
  await disconnected
}
