import type { FrameText } from './frame-texts.ts'

type TokenAnswer =
  | { token: string }
  /** `message` is for the payer; null if the frame has its own text for the code. */
  | { token: null; code: string; message: string | null }

/** Sends the details to the frame's own origin, for a token. */
export async function askForToken(details: object): Promise<TokenAnswer> {
  try {
    const response = await fetch('tokens', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(details),
      credentials: 'omit',
      redirect: 'error',
      signal: AbortSignal.timeout(patience_ms),
    })
    const { token, error } = await response.json()
    if (response.ok && typeof token === 'string') return { token }
    if (typeof error?.code === 'string' && typeof error.message === 'string' && response.status === 402)
      return { token: null, code: error.code, message: error.message }
  } catch {
    // No response, or none that can be read: see below.
  }
  return { token: null, code: 'unavailable' satisfies FrameText, message: null }
}

const patience_ms = 30_000
