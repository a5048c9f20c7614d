import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileConnector } from '@quittance/connectors'
import { type Caller, createEngine, type Engine, type Scope, type Store } from '@quittance/core'
import { fileLedger, type SimulatedProcessor, simulatedProcessor } from '@quittance/processor-simulator'
import { browserOf } from '../../packages/testing/src/builders/sandbox.ts'
import { seededIds } from '../../packages/testing/src/random.ts'
import { type VirtualClock, virtualClock } from '../../packages/testing/src/virtual-clock.ts'
import { booksIn, type Home, ledgerIn, openStore } from './home.ts'
import { type Arrive, between, withMoments } from './moments.ts'

/** What the process that prepared a home leaves in it for those after. */
export interface Prepared {
  scope: Scope
  now_ms: number
  known: Record<string, string>
}

export const preparedIn = ({ folder }: Home) => join(folder, 'prepared.json')

/** An engine in this process, on the rows and the processor's ledger of a home. */
export interface EngineProcess {
  engine: Engine
  scope: Scope
  caller: Caller
  browser: Caller
  clock: VirtualClock
  /** Past all moments: to look at what is there. */
  store: Store
  processor: SimulatedProcessor
  known: Record<string, string>
  /** Sends all that is due, and returns. */
  dispatch(): Promise<void>
  close(): Promise<void>
}

/** Moments count from the first call that the flow makes. `seed` differs between the processes of a home, as chance does. */
export async function openProcess(
  home: Home,
  { seed, arrive }: { seed: number; arrive?: Arrive },
): Promise<EngineProcess> {
  const { scope, now_ms, known } = JSON.parse(readFileSync(preparedIn(home), 'utf8')) as Prepared
  const store = await openStore(home)
  const processor = simulatedProcessor({ ledger: fileLedger(ledgerIn(home)) })
  const clock = virtualClock(now_ms)
  let opened = false
  const arriveOnceOpen = async (moment: string) => {
    if (opened) await arrive?.(moment)
  }
  const ports = withMoments({ store, processor }, arriveOnceOpen)
  const engine = createEngine({
    ...engineSettings,
    store: ports.store,
    processors: { sandbox: ports.processor },
    clock,
    ids: seededIds(seed),
    connectors: existsSync(booksIn(home)) ? { file: fileConnector({ directory: booksIn(home) }) } : {},
  })
  const caller = await engine.caller(scope)
  opened = true
  return {
    ...{ engine, scope, caller, clock, store, processor, known },
    browser: browserOf(caller),
    dispatch: () => dispatch(engine, home, arriveOnceOpen),
    close: () => store.close(),
  }
}

export const engineSettings = {
  secret: 'a secret of the tests, 32 bytes or more',
  publicUrl: 'https://pay.example.com',
  allowInsecureDestinations: true,
}

async function dispatch(engine: Engine, home: Home, arrive: Arrive): Promise<void> {
  const { createSender, runOnce } = await import('@quittance/webhooks')
  const sender = createSender({ allowInsecureDestinations: true })
  const send: typeof sender.send = (request) => {
    const headers = { ...request.headers, 'X-Home': home.folder }
    return between(arrive, 'receiver.send', () => sender.send({ ...request, headers }))
  }
  await runOnce(engine, { budgetMs: 60_000, sender: { ...sender, send } })
  await sender.close()
}
