import { errors } from 'undici'

/** A delivery's `last_error` where no response decided it; a response gives `http NNN` or `redirect`. */
export type FailureText =
  | 'timeout'
  | 'host not allowed'
  | 'dns'
  | 'connection refused'
  | 'connection reset'
  | 'tls'
  | 'invalid response'

/** An attempt that failed for a reason already known, on its way through undici. */
export class AttemptFailure extends Error {
  readonly text: FailureText

  constructor(text: FailureText, cause?: unknown) {
    super(text, { cause })
    this.text = text
  }
}

/** What a failed attempt is called. The text is one of ours: nothing a receiver sent gets into it. */
export function failureText(error: unknown): FailureText {
  if (error instanceof AttemptFailure) return error.text
  // undici destroys the socket itself where a response makes no sense: `100` unasked, `101`, a second answer.
  if (error instanceof errors.SocketError)
    return nonsense.test(error.message) ? 'invalid response' : 'connection reset'
  const code = codeOf(error)
  if (/^ERR_(SSL|TLS|OSSL)_/.test(code)) return 'tls'
  return connection_codes[code] ?? 'invalid response'
}

/** What a failure before the connection stood is called; `tls` once the TCP connection was made. */
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
  const code = error instanceof Error && 'code' in error ? error.code : ''
  return typeof code === 'string' ? code : ''
}
