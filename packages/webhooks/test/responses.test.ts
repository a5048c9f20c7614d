import type { Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import type { Clock } from '@quittance/core'
import { describe, expect, it, vi } from 'vitest'
import { type AttemptOutcome, Exchange } from '../src/sender/exchange.ts'
import { answering } from './scripted-receiver.ts'

const ok = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'
const success = { response_status: 200, error: null }

describe('the head of the response decides', () => {
  it.each([
    ['a body cut off', 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf'],
    ['a broken chunk', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n'],
    [
      'a body that is not the gzip it says',
      'HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\nnope',
    ],
    [
      'a head of 60 KB',
      `HTTP/1.1 200 OK\r\n${`X: ${'x'.repeat(6_000)}\r\n`.repeat(10)}Content-Length: 0\r\n\r\n`,
    ],
    ['a body announced as past 64 KiB', 'HTTP/1.1 200 OK\r\nContent-Length: 65537\r\n\r\n'],
  ])('takes a 2xx with %s for a success', async (_flaw, response) => {
    const { send } = await answering(() => response, true)
    expect(await send()).toEqual(success)
  })

  it('settles before a body that never ends', async () => {
    const { send } = await answering(() => 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n')
    expect(await send()).toEqual(success)
  })

  it('and gives up a connection whose body has not ended a quarter of a second later', async () => {
    const { after, running } = heldTimers()
    const closed = Promise.withResolvers<void>()
    const endless = (socket: Socket) => {
      socket.once('close', () => closed.resolve())
      return 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n'
    }
    const { send } = await answering(endless, false, { after })
    expect(await send()).toEqual(success)
    expect([...running.keys()]).toEqual([250])
    running.get(250)?.()
    await closed.promise
  })

  // Else every receiver that sends its body on its own would cost a handshake for each delivery.
  it('and keeps a connection whose body ends in a later turn than its head', async () => {
    const { after, running } = heldTimers()
    const settled = Promise.withResolvers<AttemptOutcome>()
    const kept = vi.fn()
    const exchange = new Exchange({
      timeout_ms: 15_000,
      after,
      settled: settled.resolve,
      faulted: settled.reject,
      kept,
      dropped: settled.reject,
    })
    exchange.onResponseStart(null, 200, {})
    expect(await settled.promise).toEqual(success)
    exchange.onResponseEnd()
    await new Promise((resolve) => setImmediate(resolve))
    expect(kept).toHaveBeenCalledOnce()
    expect([...running.keys()]).toEqual([])
  })

  it('leaves no timer behind', async () => {
    const { after, running } = heldTimers()
    const { send } = await answering(() => ok, false, { after })
    expect(await send()).toEqual(success)
    expect([...running.keys()]).toEqual([])
  })

  it('leaves a compressed body as it is', async () => {
    const bomb = gzipSync(Buffer.alloc(10 * 1024 * 1024))
    const head = `HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${bomb.length}\r\n\r\n`
    const { target, send } = await answering(() => Buffer.concat([Buffer.from(head), bomb]))
    expect([await send(), await send()]).toEqual([success, success])
    // Decompressed it would be over 64 KiB, and the connection given up.
    expect(target.connections).toBe(1)
  })

  it.each([
    ['101 Switching Protocols', 'HTTP/1.1 101 S\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n'],
    ['a status below 100', 'HTTP/1.1 099 X\r\nContent-Length: 0\r\n\r\n'],
    ['the status 000', 'HTTP/1.1 000 X\r\nContent-Length: 0\r\n\r\n'],
    ['four digits', 'HTTP/1.1 2000 X\r\nContent-Length: 0\r\n\r\n'],
    ['a head past 64 KiB', `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(70_000)}\r\n\r\n`],
    ['two different lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n'],
    ['a NUL in a header', 'HTTP/1.1 200 OK\r\nX: \0\r\n\r\n'],
    ['no HTTP', 'SSH-2.0-OpenSSH_9.6\r\n'],
  ])('calls %s an invalid response', async (_shape, response) => {
    const { send } = await answering(() => response)
    expect(await send()).toEqual({ response_status: null, error: 'invalid response' })
  })

  it.each([
    ['100 Continue', 'HTTP/1.1 100 Continue\r\n\r\n'],
    [
      'several interim responses',
      'HTTP/1.1 103 E\r\nLink: x\r\n\r\nHTTP/1.1 100 C\r\n\r\nHTTP/1.1 102 P\r\n\r\n',
    ],
  ])('waits for the final response after %s', async (_kind, interim) => {
    const { send } = await answering(() => interim + ok)
    expect([await send(), await send()]).toEqual([success, success])
  })

  it('waits for it too where 100 Continue comes byte by byte', async () => {
    const { send } = await answering((socket) => {
      socket.setNoDelay(true)
      const bytes = [...Buffer.from(`HTTP/1.1 100 Continue\r\n\r\n${ok}`)]
      const next = () => {
        const byte = bytes.shift()
        if (byte !== undefined) socket.write(Buffer.of(byte), () => setImmediate(next))
      }
      next()
      return ''
    })
    expect(await send()).toEqual(success)
  })

  it('has its whole time left after an interim response', async () => {
    const { after, running } = heldTimers()
    const ignore = () => {}
    const outcome = { settled: ignore, faulted: ignore, kept: ignore, dropped: ignore }
    const exchange = new Exchange({ timeout_ms: 15_000, after, ...outcome })
    exchange.onResponseStart(null, 103, {})
    await new Promise((resolve) => setImmediate(resolve))
    expect([...running.keys()]).toEqual([15_000])
  })

  it('is out of time after interim responses without end, and closes the connection', async () => {
    const { target, send } = await answering(
      (socket) => {
        const again = () => socket.write('HTTP/1.1 103 Early Hints\r\n\r\n', () => setImmediate(again))
        again()
        return ''
      },
      false,
      // Long enough to reach the receiver on a machine that stalls.
      { timeoutMs: 1_000 },
    )
    expect(await send()).toEqual({ response_status: null, error: 'timeout' })
    expect(target.connections).toBe(1)
  })

  it('stops reading where they come faster than a receiver has reason to send', async () => {
    const interim = Buffer.from('HTTP/1.1 103 E\r\n\r\n'.repeat(4_096))
    let taken_bytes = 0
    const { send } = await answering(
      (socket) => {
        const again = () => {
          taken_bytes = socket.bytesWritten - socket.writableLength
          if (!socket.destroyed) while (socket.write(interim));
        }
        socket.on('drain', again)
        again()
        return ''
      },
      false,
      { timeoutMs: 1_000 },
    )
    expect(await send()).toEqual({ response_status: null, error: 'timeout' })
    // Beside what was read, as much as the buffers of two sockets hold.
    expect(taken_bytes).toBeLessThan(16 * 1024 * 1024)
  })

  it('is not reached behind more than a receiver has reason to send', async () => {
    const interim = 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(100_000)
    const { send } = await answering(() => interim + ok, false, { timeoutMs: 2_000 })
    expect(await send()).toEqual({ response_status: null, error: 'timeout' })
  })

  it('reads as much of the next answer on the same connection', async () => {
    const long = `HTTP/1.1 200 OK\r\nContent-Length: 60000\r\n\r\n${'x'.repeat(60_000)}`
    const { target, send } = await answering(() => long)
    for (let sent = 0; sent < 40; sent += 1) expect(await send()).toEqual(success)
    expect(target.connections).toBe(1)
  })
})

/** Timers that go off only when they are called, by their length. */
function heldTimers() {
  const running = new Map<number, () => void>()
  const after: Clock['after'] = (delay_ms, wake) => {
    running.set(delay_ms, wake)
    return () => running.delete(delay_ms)
  }
  return { after, running }
}
