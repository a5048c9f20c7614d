/** The callers that wait until nothing is left to send. */
export class Drains {
  #waiting: PromiseWithResolvers<void>[] = []

  wait(): Promise<void> {
    const drain = Promise.withResolvers<void>()
    this.#waiting.push(drain)
    return drain.promise
  }

  resolve(): void {
    for (const drain of this.#waiting.splice(0)) drain.resolve()
  }

  reject(fault: unknown): void {
    for (const drain of this.#waiting.splice(0)) drain.reject(fault)
  }
}
