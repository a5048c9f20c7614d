import { type Child, startChild } from '../child.ts'

/** A webhook receiver in a process of its own, and its URL; stopped afterwards. */
export async function withReceiver<Value>(
  run: (url: string, receiver: Child<{ port: number }>) => Promise<Value>,
): Promise<Value> {
  const receiver = await startChild<{ port: number }>('./deliveries/receiver.ts', [])
  try {
    return await run(`http://127.0.0.1:${receiver.ready.port}/hook`, receiver)
  } finally {
    await receiver.stop()
  }
}
