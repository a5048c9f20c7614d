/** Tries until it is done: after pauses that double each time, up to 25 ms. False: it was not within `patience_ms`. */
export async function tryUntil(
  done: () => boolean | Promise<boolean>,
  patience_ms: number,
): Promise<boolean> {
  const started_ms = performance.now()
  for (let attempt = 0; !(await done()); attempt += 1) {
    if (performance.now() - started_ms > patience_ms) return false
    await new Promise<void>((resolve) => setTimeout(resolve, Math.min(2 ** attempt, 25)))
  }
  return true
}
