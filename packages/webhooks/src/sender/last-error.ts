import { isError } from '@quittance/core'
import { errors } from 'undici'

/** A delivery's `last_error`, unless a response decided it: that gives `http NNN` or `redirect`. */
type FailureText =
  | 'timeout'
  | 'host not allowed'
  | 'dns'
  | 'connection refused'
  | 'connection reset'
  | 'tls'
  | 'invalid response'

/** The failure of an attempt with its text already known, passed through undici. */
export class AttemptFailure extends Error {
  readonly text: FailureText

  constructor(text: FailureText, cause?: unknown) {
    super(text, { cause })
    this.text = text
  }
}

/** An option of the host that gave what it must not: nothing was sent, which is no outcome of an attempt. */
export class OptionFault extends TypeError {}

/** The text for a failed attempt. Always one of ours: nothing that a receiver sent gets into it. */
export function failureText(error: unknown): FailureText {
  if (error instanceof AttemptFailure) return error.text
  // undici itself destroys the socket at a response that makes no sense: `100` unasked, `101`, a second response.
  if (error instanceof errors.SocketError)
    return nonsense.test(error.message) ? 'invalid response' : 'connection reset'
  const code = codeOf(error)
  if (/^ERR_(SSL|TLS|OSSL)_/.test(code)) return 'tls'
  return connection_codes[code] ?? 'invalid response'
}

/** The text for a failure to connect; by default `tls` once the TCP connection is made. */
export function connectFailure(error: unknown, phase: 'tcp' | 'tls'): AttemptFailure {
  if (error instanceof AttemptFailure) return error
  const text = connection_codes[codeOf(error)] ?? (phase === 'tls' ? 'tls' : 'connection refused')
  return new AttemptFailure(text, error)
}

const nonsense = /^bad (response|upgrade)$/

const connection_codes: Partial<Record<string, FailureText>> = {
  ECONNREFUSED: 'connection refused',
  EHOSTUNREACH: 'connection refused',
  ENETUNREACH: 'connection refused',
  ECONNRESET: 'connection reset',
  ECONNABORTED: 'connection reset',
  EPIPE: 'connection reset',
  ETIMEDOUT: 'timeout',
}

function codeOf(error: unknown): string {
  const code = isError(error) && 'code' in error ? error.code : ''
  return typeof code === 'string' ? code : ''
}
