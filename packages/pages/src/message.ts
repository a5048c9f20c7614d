/** A request as the HTTP transport hands it over: `target` is path and query, as sent. */
export interface PageRequest {
  method: string
  target: string
  /** Names in lower case. */
  headers: Record<string, string | string[] | undefined>
  /** Refused: larger than the transport takes. */
  body: Uint8Array | { refused: string }
  remote_address: string | null
}

export interface PageResponse {
  status: number
  headers: Record<string, string>
  body: string
}

/**
 * Answers requests for hosted pages; null, at once, for any other request. `takeTurn` slows card testing down:
 * null where the page with this id may be paid on now, else the whole seconds to wait.
 */
export type HostedPages = (
  request: PageRequest,
  takeTurn: (page: string) => Promise<number | null>,
) => Promise<PageResponse> | null

export function headerOf({ headers }: PageRequest, name: string): string | undefined {
  const value = headers[name]
  return Array.isArray(value) ? value.join(', ') : value
}
