/** Before another attempt: doubles each time, up to 25 ms. */
export function pause(attempt: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.min(2 ** attempt, 25)))
}
