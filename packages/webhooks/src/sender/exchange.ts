// Not the global: in a host's tests that may be a fake, which never calls back.
import { setImmediate } from 'node:timers'
import type { Clock } from '@quittance/core'
import { type Dispatcher, errors } from 'undici'
import { AttemptFailure, failureText, OptionFault } from './last-error.ts'

/** The outcome of one attempt. `error` is null only for a 2xx. */
export interface AttemptOutcome {
  response_status: number | null
  error: string | null
}

/** The most bytes of a response's body that are read and discarded in order to keep the connection. */
const max_body_bytes = 64 * 1024

/** How long the rest of a response may take once its head has come. */
const body_ms = 250

interface ExchangeOptions {
  timeout_ms: number
  after: Clock['after']
  settled: (outcome: AttemptOutcome) => void
  /** The request itself could not be made, which is the caller's mistake and not an outcome. */
  faulted: (error: Error) => void
  /** `kept` or `dropped` is called, once: the connection can be used again, or must not be. */
  kept: () => void
  dropped: (reason: Error) => void
}

/**
 * The request of an attempt and its response, as undici handles them: waiting for a connection -> sent -> settled -> released.
 *
 * One timer covers everything up to the complete head of the final response, which settles the attempt: a
 * body that breaks off changes nothing. A second, short timer then bounds the reading of the body. Idle timeouts
 * would not do: trickled headers, or endless interim responses, would never let one fire.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly #options: ExchangeOptions
  #stopClock: () => void
  #outcome: AttemptOutcome | null = null
  #isSettled = false
  #hasEnded = false
  #isReleased = false
  #body_bytes = 0

  constructor(options: ExchangeOptions) {
    this.#options = options
    this.#stopClock = options.after(options.timeout_ms, () => this.#fail(new AttemptFailure('timeout')))
  }

  /** undici calls the methods below only if this one exists. */
  onRequestStart(): void {}

  onResponseStart(_controller: unknown, status: number, headers: Headers): void {
    if (status >= 100 && status < 200) return
    if (status >= 200) this.#outcome = outcomeOf(status)
    if (status < 100 || !keepsConnection(headers)) this.#fail(new AttemptFailure('invalid response'))
    else setImmediate(() => this.#afterTurn())
  }

  onResponseData(_controller: unknown, chunk: Uint8Array): void {
    this.#body_bytes += chunk.length
    if (this.#body_bytes > max_body_bytes) this.#fail(new AttemptFailure('invalid response'))
  }

  onResponseEnd(): void {
    this.#hasEnded = true
    if (this.#isSettled) setImmediate(() => this.#keep())
  }

  onResponseError(_controller: unknown, error: Error): void {
    const ours = error instanceof errors.InvalidArgumentError || error instanceof OptionFault
    if (!this.#isSettled && ours) this.#options.faulted(error)
    this.#fail(error)
  }

  /**
   * Runs one turn of the event loop after the head. By then the close has arrived from servers that close without
   * announcing it. A connection whose response has ended returns to the pool before the attempt settles, so that the next
   * delivery can use it.
   */
  #afterTurn(): void {
    if (this.#hasEnded) this.#keep()
    else if (!this.#isReleased) this.#hurry()
    if (this.#outcome !== null) this.#settle(this.#outcome)
  }

  /** Bounds the reading of the body: the attempt is settled, so no limit counts its connection any more. */
  #hurry(): void {
    this.#stopClock()
    this.#stopClock = this.#options.after(body_ms, () => this.#fail(new AttemptFailure('timeout')))
  }

  #keep(): void {
    if (this.#release()) this.#options.kept()
  }

  /** A failure after the head drops the connection, but does not change the outcome. */
  #fail(error: Error): void {
    this.#settle(this.#outcome ?? { response_status: null, error: failureText(error) })
    if (this.#release()) this.#options.dropped(error)
  }

  #settle(outcome: AttemptOutcome): void {
    if (this.#isSettled) return
    this.#isSettled = true
    this.#options.settled(outcome)
  }

  #release(): boolean {
    if (this.#isReleased) return false
    this.#isReleased = true
    this.#stopClock()
    return true
  }
}

type Headers = Record<string, string | string[] | undefined>

function outcomeOf(status: number): AttemptOutcome {
  if (status >= 200 && status < 300) return { response_status: status, error: null }
  if (status >= 300 && status < 400) return { response_status: status, error: 'redirect' }
  return { response_status: status, error: `http ${status}` }
}

/** False if the body is announced as too long to read. (The parser itself refuses two lengths.) */
function keepsConnection(headers: Headers): boolean {
  return !(Number(headers['content-length'] ?? 0) > max_body_bytes)
}
