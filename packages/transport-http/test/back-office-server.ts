import type { BackOfficeCode, EngineOptions } from '@quittance/core'
import { type BackOfficeOptions, createBackOffice } from '../src/back-office.ts'
import { toNodeListener } from '../src/node.ts'
import { listen } from './echo.ts'
import { openShop, type Request } from './shop.ts'

const office_token = 'the-token-of-the-back-office'

/** The envelope of every answer of the back office. */
export interface Envelope<Data> {
  code: BackOfficeCode
  message: string
  data: Data
}

export interface OfficeReply<Data> {
  status: number
  headers: Headers
  text: string
  body: Envelope<Data>
}

/** An engine's API and its back office, each behind a real socket. */
export async function openOffice({
  office = {},
  ...options
}: Partial<EngineOptions> & { office?: Partial<BackOfficeOptions> } = {}) {
  const shop = await openShop(options)
  const authorize = (token: string) => token === office_token
  const { url } = await listen(toNodeListener(createBackOffice(shop.engine, { authorize, ...office })))
  /** Sends with the token, unless told otherwise. */
  const call = async <Data = unknown>(
    method: string,
    path: string,
    { key = office_token, body, headers = {} }: Request = {},
  ): Promise<OfficeReply<Data>> => {
    const sent = typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body)
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        ...(key === null ? {} : { authorization: `Bearer ${key}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(sent === undefined ? {} : { body: typeof sent === 'string' ? sent : Uint8Array.from(sent) }),
    })
    const text = await response.text()
    const envelope = (text === '' ? {} : JSON.parse(text)) as Envelope<Data>
    return { status: response.status, headers: response.headers, text, body: envelope }
  }
  return { ...shop, url, call }
}

export type Office = Awaited<ReturnType<typeof openOffice>>

/** Status and code, in one value to compare. */
export function outcome({ status, body: { code } }: OfficeReply<unknown>) {
  return [status, code]
}
