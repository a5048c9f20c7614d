import { Resolver } from 'node:dns/promises'
import { expect, it, onTestFinished, vi } from 'vitest'
import { dnsResolver } from '../src/sender/resolver.ts'
import { answering } from './scripted-receiver.ts'

const public4 = ['93.184.216.34']
const public6 = ['2606:2800:21f::1']
const none = Object.assign(new Error('no such record'), { code: 'ENODATA' })

it.each([
  ['of IPv4 alone', public4, none, [public4]],
  ['of IPv6 alone', none, public6, [public6]],
  ['of both families, IPv4 first', public4, public6, [[...public4, ...public6]]],
])('a name with addresses %s is sent to', async (_, four, six, addresses) => {
  const { send, dialled } = await sendingWhereDnsSays(four, six)
  expect(await send()).toEqual({ response_status: 200, error: null })
  expect(dialled).toEqual(addresses)
})

it('a name with many addresses is tried at eight of a family', async () => {
  const four = Array.from({ length: 20 }, (_, index) => `93.184.216.${index}`)
  const six = Array.from({ length: 20 }, (_, index) => `2606:2800:21f::${index}`)
  const { send, dialled } = await sendingWhereDnsSays(four, six)
  await send()
  expect(dialled).toEqual([[...four.slice(0, 8), ...six.slice(0, 8)]])
})

it.each([
  ['with no address', none, none, 'dns'],
  ['with a private address of IPv4', ['10.0.0.1'], public6, 'host not allowed'],
  ['with a private address of IPv6', public4, ['fd00::1'], 'host not allowed'],
])('a name %s is not', async (_, four, six, error) => {
  const { send, dialled } = await sendingWhereDnsSays(four, six)
  expect(await send()).toEqual({ response_status: null, error })
  expect(dialled).toEqual([])
})

it('a name is not asked for any longer once its attempt is over', async () => {
  const cancel = vi.spyOn(Resolver.prototype, 'cancel')
  const four = vi.spyOn(Resolver.prototype, 'resolve4').mockResolvedValue(public4)
  const six = vi.spyOn(Resolver.prototype, 'resolve6').mockReturnValue(new Promise(() => {}))
  onTestFinished(() => {
    for (const spy of [cancel, four, six]) spy.mockRestore()
  })
  const attempt = new AbortController()
  void dnsResolver.resolve('hooks.example.com', attempt.signal)
  expect(cancel).not.toHaveBeenCalled()
  attempt.abort()
  expect(cancel).toHaveBeenCalledOnce()
})

/** The servers that this machine would ask may be out of reach. */
async function sendingWhereDnsSays(four: string[] | Error, six: string[] | Error) {
  const say = (method: 'resolve4' | 'resolve6', answer: string[] | Error) =>
    vi.spyOn(Resolver.prototype, method).mockImplementation(async () => {
      if (answer instanceof Error) throw answer
      return answer
    })
  const spies = [say('resolve4', four), say('resolve6', six)]
  onTestFinished(() => {
    for (const spy of spies) spy.mockRestore()
  })
  return answering(() => 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n', false, { resolver: dnsResolver })
}
