/** Runs `work` for 0 to `count` - 1, `lanes` at a time. */
export async function inLanes(
  count: number,
  lanes: number,
  work: (index: number) => Promise<void>,
): Promise<void> {
  let next = 0
  const lane = async () => {
    while (next < count) {
      next += 1
      await work(next - 1)
    }
  }
  await Promise.all(Array.from({ length: lanes }, lane))
}

/** Resolves to true once `holds` does, or to false if it has not after `patience_ms`. */
export async function until(
  holds: () => boolean | Promise<boolean>,
  { patience_ms, look_ms = 50 }: { patience_ms: number; look_ms?: number },
): Promise<boolean> {
  const end_ms = performance.now() + patience_ms
  while (!(await holds())) {
    if (performance.now() > end_ms) return false
    await new Promise((resolve) => setTimeout(resolve, look_ms))
  }
  return true
}

/** Whole seconds that something took, to one decimal. */
export async function seconds(run: () => Promise<unknown>): Promise<number> {
  const started_ms = performance.now()
  await run()
  return Math.round((performance.now() - started_ms) / 100) / 10
}
