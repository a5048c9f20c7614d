/** Which calls fail: without an effect, or with an effect but the response lost. Called once per call. */
export type Faults = (call: FaultableCall) => 'none' | 'throw_before' | 'throw_after'

export interface FaultableCall {
  method: 'verify' | 'charge' | 'refund' | 'void' | 'lookup' | 'notifications'
  /** Null if the call concerns no key. */
  key: string | null
}

/** Runs one call of the processor under `faults`. */
export function faultable(faults: Faults) {
  return async <Answer>(call: FaultableCall, run: () => Answer): Promise<Answer> => {
    const fault = faults(call)
    if (fault === 'throw_before') throw new Error(`The connection broke before ${call.method} was sent.`)
    const answer = run()
    if (fault === 'throw_after') throw new Error(`The connection broke before ${call.method} was answered.`)
    return answer
  }
}
