import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { onRequest, type Receiver, receiver, resolving, senderTo } from './scripted-receiver.ts'

interface Row {
  id: string
  url: string
  host: string | null
  resolves_to: string[] | null
  deliver: 'ok' | 'host not allowed'
  then_resolves_to?: string[]
  deliver_then?: 'ok' | 'host not allowed'
  note: string
}

const corpus = new URL('../../testing/corpora/ssrf.json', import.meta.url)
const rows: Row[] = JSON.parse(readFileSync(corpus, 'utf8'))

const answer = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n'

let target: Receiver
beforeAll(async () => {
  target = await receiver((socket, self) => onRequest(socket, self, () => socket.end(answer)))
})
afterAll(() => target.close())

describe('each delivery to a host that resolves to a private address fails with host not allowed', () => {
  it.each(rows.map((row) => [row.id, row.deliver, row.url, row.note, row] as const))(
    '%s: %s for %s (%s)',
    async (_id, _deliver, _url, _note, row) => {
      const answers = [row.resolves_to, row.then_resolves_to ?? null]
      const expected = [row.deliver, row.deliver_then].filter((each) => each !== undefined)
      const resolver = resolving(() => {
        const addresses = answers[attempts_made]
        return addresses ? Promise.resolve(addresses) : Promise.reject(new Error(`${row.host} was resolved`))
      })
      const { sender, dialled } = senderTo(target.port, { resolver })
      let attempts_made = 0
      for (const deliver of expected) {
        dialled.length = 0
        const outcome = await sender.send({ url: row.url, headers: {}, body: '{}' })
        expect(outcome).toEqual(
          deliver === 'ok'
            ? { response_status: 200, error: null }
            : { response_status: null, error: 'host not allowed' },
        )
        const checked = answers[attempts_made] ?? [literal(row.host)]
        expect(dialled).toEqual(deliver === 'ok' ? [checked] : [])
        attempts_made += 1
      }
      await sender.close()
    },
  )
})

describe('a name with thousands of addresses', () => {
  const v4 = Array.from({ length: 2_000 }, (_, one) => `93.184.${one >> 8}.${one & 255}`)
  const v6 = Array.from({ length: 2_000 }, (_, one) => `2606:2800:220:1::${one.toString(16)}`)

  it('is tried at a few of each family', async () => {
    const { sender, dialled } = senderTo(target.port, { resolves_to: [...v4, ...v6] })
    await sender.send({ url: 'https://hooks.example.com/', headers: {}, body: '{}' })
    expect(dialled).toEqual([[...v4.slice(0, 8), ...v6.slice(0, 8)]])
    await sender.close()
  })

  it('is not allowed for one that is private, be it the last', async () => {
    const { sender, dialled } = senderTo(target.port, { resolves_to: [...v4, '10.0.0.1'] })
    const outcome = await sender.send({ url: 'https://hooks.example.com/', headers: {}, body: '{}' })
    expect([outcome.error, dialled]).toEqual(['host not allowed', []])
    await sender.close()
  })
})

function literal(host: string | null): string {
  const address = host?.replace(/^\[|\]$/g, '') ?? ''
  return isIP(address) === 0 ? `${host} is no address` : address
}
