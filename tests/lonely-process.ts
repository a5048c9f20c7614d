import { type Engine, type Processor, startReconciler, systemClock } from '@quittance/core'
import { pay } from '../packages/testing/src/builders/requests.ts'
import { openSandbox, type Sandbox, withProcessor } from '../packages/testing/src/builders/sandbox.ts'

/** A process with nothing open. What it awaits ends only when a limit is over, here after a fiftieth of the time. */
const clock = {
  ...systemClock,
  after: (delay_ms: number, wake: () => void) => systemClock.after(delay_ms / 50, wake),
} as never
const asked = Promise.withResolvers<void>()

/** An engine whose processor hangs in one of its calls. */
async function hangingIn(call: keyof Processor): Promise<Sandbox> {
  const sandbox = await openSandbox({ clock })
  const hangs = () => {
    asked.resolve()
    return new Promise<never>(() => {})
  }
  return sandbox.another(withProcessor(sandbox, { ...sandbox.processor, [call]: hangs }))
}

const waits: Record<string, () => Promise<unknown>> = {
  async reconcile() {
    const { engine } = await hangingIn('notifications')
    await engine.reconcile()
  },
  async stop() {
    const { engine } = await hangingIn('notifications')
    const reconciler = startReconciler(engine)
    await asked.promise
    await reconciler.stop()
  },
  charge: async () => pay(await hangingIn('charge'), 'tok_test_visa'),
  async close() {
    const sandbox = await hangingIn('charge')
    void pay(sandbox, 'tok_test_visa')
    await asked.promise
    await sandbox.engine.close()
  },
  async listener() {
    let engine: Engine | undefined
    const waitsForItself = async () => void (await engine?.admin.workspaces.create({ name: 'Another' }))
    const sandbox = await openSandbox({ clock, on: { 'payment.succeeded': waitsForItself } })
    engine = sandbox.engine
    await pay(sandbox, 'tok_test_visa')
  },
}

await waits[process.argv[2] ?? '']?.()
process.stdout.write('over')
