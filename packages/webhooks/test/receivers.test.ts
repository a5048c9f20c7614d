import { readFileSync } from 'node:fs'
import { Socket } from 'node:net'
import type { TlsOptions } from 'node:tls'
import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, it } from 'vitest'
import type { SenderOptions } from '../src/index.ts'
import { longest_attempt_ms } from '../src/index.ts'
import {
  authority,
  identity,
  onRequest,
  type Receiver,
  receiver,
  resolving,
  senderTo,
} from './scripted-receiver.ts'

interface Step {
  send?: string
  wait?: number
  repeat?: { send: string }
  every?: number
  file?: string
  close?: boolean
  pause_read?: boolean
  rst?: boolean
  tcp?: string
  tls?: string
  dns?: string
}

interface Row {
  id: string
  layer: 'http' | 'tcp' | 'tls' | 'dns'
  steps: Step[]
  expect: {
    delivery: string
    last_response_status?: number | null
    last_error?: string | null
    body_bytes_sent?: number
    connects?: number
    extra_requests?: number
  }
  note: string
}

const corpus = new URL('../../testing/corpora/receivers.json', import.meta.url)
const rows: Row[] = JSON.parse(readFileSync(corpus, 'utf8'))

/** The corpus is written for 15 s. Where they run out, its clock runs this many times faster here; its waits always do. */
const speed = 20

/** What the corpus leaves open ("nonempty"), this implementation calls by these names. */
const own_names: Record<string, string | null> = {
  'slow-status-line': 'invalid response',
  'bad-reset-on-accept': 'connection reset',
  'bad-close-mid-headers': 'connection reset',
  'bad-http09': 'invalid response',
  'bad-status-20': 'invalid response',
  'tls-self-signed': 'tls',
  'tls-ip-only-cert': 'tls',
  'tls-client-cert-required': 'connection reset',
  'tls-alert-unrecognized-name': 'tls',
  'dns-nxdomain': 'dns',
}

const event = JSON.stringify({ object: 'event', id: 'evt_test_1', padding: 'x'.repeat(200) })
const large_event = Buffer.alloc(256 * 1024, 'x')

const cleanups: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

describe('any 2xx within 15 seconds is a success, and every receiver gets an outcome', () => {
  it('gives a receiver 15 seconds', () => expect(longest_attempt_ms).toBe(15_000))

  it('has 31 recorded receivers', () => expect(rows).toHaveLength(31))

  it.each(rows.map((row) => [row.id, row.note, row] as const))('%s: %s', async (_id, _note, row) => {
    const script = await play(row)
    const { expect: wanted } = row
    const { sender, dialled } = senderTo(script.port, {
      timeoutMs: wanted.last_error === 'timeout' ? longest_attempt_ms / speed : longest_attempt_ms,
      ...optionsFor(row),
    })
    cleanups.push(() => sender.close())

    const body = row.id === 'slow-accept-no-read' ? large_event : event
    const outcome = await sender.send({ url: 'https://hooks.example.com/hook', headers: {}, body })

    expect(wanted.delivery.split('|')).toContain(outcome.error === null ? 'succeeded' : 'pending')
    if (wanted.last_response_status !== undefined)
      expect(outcome.response_status).toBe(wanted.last_response_status)
    if (row.id in own_names) expect(outcome.error).toBe(own_names[row.id])
    else if (wanted.last_error !== undefined) expect(outcome.error).toBe(wanted.last_error)
    if (wanted.body_bytes_sent !== undefined) expect(script.received).toHaveLength(wanted.body_bytes_sent)
    if (wanted.connects !== undefined) expect(dialled).toHaveLength(wanted.connects)
    if (wanted.extra_requests !== undefined) expect(dialled).toHaveLength(1 + wanted.extra_requests)
  })
})

function play(row: Row): Promise<Receiver> {
  const opened = receiver((socket, self) => {
    if (row.layer === 'http') return onRequest(socket, self, () => void steps(socket, row.steps))
    socket.on('data', (chunk: Buffer) => {
      self.received = Buffer.concat([
        self.received,
        row.id === 'tls-alert-unrecognized-name' ? Buffer.of() : chunk,
      ])
      if (row.id === 'tls-alert-unrecognized-name') socket.end(unrecognized_name)
    })
    void steps(socket, row.steps)
  }, serverTls(row))
  cleanups.push(async () => (await opened).close())
  return opened
}

async function steps(socket: Socket, script: Step[]): Promise<void> {
  for (const step of script) {
    if (step.send !== undefined) socket.write(step.send)
    if (step.file !== undefined) socket.write(gzipSync(Buffer.alloc(10 * 1024 * 1024)))
    if (step.wait !== undefined) await elapsed(step.wait)
    if (step.close) socket.end()
    if (step.rst) socket.resetAndDestroy()
    if (step.pause_read) socket.pause()
    while (step.repeat !== undefined && !socket.destroyed) {
      socket.write(step.repeat.send)
      await elapsed(step.every ?? 0)
    }
  }
}

function serverTls(row: Row): TlsOptions | null {
  const [step] = row.steps
  if (step?.tls === 'self-signed') return identity('self-signed')
  if (step?.tls === 'ip-only-cert') return identity('ip-only')
  if (step?.tls === 'client-cert-required') {
    return { ...identity('receiver'), ca: authority, requestCert: true, rejectUnauthorized: true }
  }
  return step?.rst || step?.tls === 'alert-unrecognized-name' ? null : identity('receiver')
}

function optionsFor(row: Row): Partial<SenderOptions> & { resolves_to?: readonly string[] } {
  const [step] = row.steps
  if (step?.dns === 'NXDOMAIN') {
    return { resolver: resolving(() => Promise.reject(new Error('queryA ENOTFOUND hooks.example.com'))) }
  }
  if (step?.dns !== undefined) return { resolves_to: [step.dns] }
  // A socket whose SYN nobody answers: nothing ever happens on it.
  return step?.tcp === 'SYN dropped' ? { dial: () => new Socket() } : {}
}

function elapsed(corpus_ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, corpus_ms / speed).unref()
  })
}

/** A TLS record: alert, fatal, unrecognized_name (RFC 6066). */
const unrecognized_name = Buffer.from([0x15, 0x03, 0x03, 0x00, 0x02, 0x02, 0x70])
