import {
  baseOf,
  guardLogger,
  isError,
  type Logger,
  option,
  refuseWrongOptions,
  silentLogger,
  type Tokenized,
  type Tokenizer,
} from '@quittance/core'
import type { PageRequest, PageResponse } from '../message.ts'
import { bankAccountPage, cardPage, type FramePage } from './frame-page.ts'
import { readDetails, type TypedDetails } from './typed-details.ts'

export interface TokenizerOptions {
  /** Makes tokens from numbers. */
  tokenizer: Tokenizer
  /** Origins whose pages may hold the frames: `https://shop.example`, or `http` on this machine. Nobody else's may. */
  parentOrigins: readonly string[]
  /** The path the frames are below. Default: the root of their origin. */
  basePath?: string | undefined
  /** Gets faults, without anything that could repeat what was typed. */
  logger?: Logger | undefined
}

/** Answers every request to the origin of the frames: never rejects. */
export type TokenizerHandler = (request: PageRequest) => Promise<PageResponse>

/**
 * The origin of the frames: `GET /card` and `GET /bank-account` are the pages that an element shows, `POST /tokens` is
 * where they send what was typed, and `tokenizer` gets it. Whoever runs this handler handles card data (docs/elements.md
 * says what follows from that): the sandbox does, a merchant with a processor's own fields does not.
 */
export function createTokenizer(options: TokenizerOptions): TokenizerHandler {
  refuseWrongOptions('createTokenizer', options, {
    tokenizer: option.required(option.port('card', 'bankAccount')),
    parentOrigins: option.required(option.list),
    basePath: option.text,
    logger: option.logger,
  })
  const { tokenizer, parentOrigins, basePath = '' } = options
  const logger = guardLogger(options.logger ?? silentLogger)
  const parents = parentOrigins.map(originOf)
  if (parents.length === 0) throw new Error('createTokenizer needs the origins whose pages hold its frames.')
  const base_path = baseOf(basePath)
  const pages = new Map([
    [`${base_path}/card`, cardPage(parents)],
    [`${base_path}/bank-account`, bankAccountPage(parents)],
  ])
  return async (request) => {
    const [path = ''] = request.target.split('?')
    const page = pages.get(path)
    if (page) return request.method === 'GET' ? show(page) : refuse(405, { allow: 'GET, HEAD' })
    if (path !== `${base_path}/tokens`) return refuse(404)
    if (request.method !== 'POST') return refuse(405, { allow: 'POST' })
    const details = readDetails(request)
    if (typeof details === 'number') return refuse(details)
    try {
      return answer(await tokenize(tokenizer, details))
    } catch (fault) {
      logger.error('a tokenizer failed', { type: details.type, fault: framesOf(fault) })
      return refuse(502)
    }
  }
}

function tokenize(tokenizer: Tokenizer, details: TypedDetails): PromiseLike<Tokenized> {
  return details.type === 'card' ? tokenizer.card(details.card) : tokenizer.bankAccount(details.account)
}

function answer(tokenized: Tokenized): PageResponse {
  if (tokenized.kind === 'token') return json(200, { token: tokenized.token })
  return json(402, { error: { code: tokenized.code, message: tokenized.message } })
}

/** The frames of a stack without the fault's message, which may repeat what was typed. */
function framesOf(fault: unknown): string[] {
  const stack: unknown = isError(fault) ? fault.stack : undefined
  return String(stack ?? '').match(/^ +at .+:\d+:\d+\)?$/gm) ?? []
}

function show({ body, content_security_policy }: FramePage): PageResponse {
  const headers = {
    ...common_headers,
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': content_security_policy,
    // A cross-origin isolated parent requires both. Who may embed the frame at all is in the policy.
    'cross-origin-resource-policy': 'cross-origin',
    'cross-origin-embedder-policy': 'require-corp',
    'origin-agent-cluster': '?1',
  }
  return { status: 200, headers, body }
}

const refusals = {
  400: 'These are no card or account details.',
  403: 'Details are taken from the frames only.',
  404: 'There is no such page.',
  405: 'This cannot be done here.',
  413: 'That is more than a frame sends.',
  415: 'Send JSON.',
  502: 'The details could not be exchanged for a token.',
}

function refuse(status: keyof typeof refusals, headers: Record<string, string> = {}): PageResponse {
  const refused = json(status, { error: { code: 'unavailable', message: refusals[status] } })
  return { ...refused, headers: { ...refused.headers, ...headers } }
}

function json(status: number, body: object): PageResponse {
  const headers = {
    ...common_headers,
    'content-type': 'application/json',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  }
  return { status, headers, body: JSON.stringify(body) }
}

const common_headers = {
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
}

/** An origin and nothing else: a wildcard or a path would let in more than was meant. */
function originOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null
  const local = url !== null && /^(localhost|127\.0\.0\.1|\[::1\])$/.test(url.hostname)
  const safe = url?.protocol === 'https:' || (url?.protocol === 'http:' && local)
  if (!url || !safe || url.hostname.includes('*') || url.origin !== text.replace(/\/$/, ''))
    throw new Error(`parentOrigins holds "${text}", which is no https origin.`)
  return url.origin
}
