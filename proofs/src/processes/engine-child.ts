import { fork } from 'node:child_process'
import { once } from 'node:events'
import type { Processor } from '@quittance/core'
import type { EngineCalls, ParentCalls, ProcessSettings } from './calls.ts'
import { type Line, openLine } from './line.ts'

/** An engine's process as its parent sees it. */
export interface EngineChild extends Line<EngineCalls> {
  /** Failures that no caller sees: an unexpected exit, an unhandled rejection. */
  readonly troubles: string[]
  isAlive(): boolean
  /** Suspends the process until `thaw`. */
  freeze(): void
  thaw(): void
  /** Kills the process at once, whatever it is doing. */
  kill(): Promise<void>
  end(): Promise<void>
}

/** Resolves once the process is ready. It calls `processor` through its parent. */
export async function startEngine(settings: ProcessSettings, processor: Processor): Promise<EngineChild> {
  const child = fork(new URL('./engine-process.ts', import.meta.url), [JSON.stringify(settings)], {
    execArgv: ['--conditions=@quittance/source'],
  })
  const ready = Promise.withResolvers<void>()
  const troubles: string[] = []
  let wanted = false
  child.on('exit', (code, signal) => {
    if (!wanted) troubles.push(`the process ended with ${code ?? signal}`)
    ready.reject(new Error('the process has ended'))
  })
  const { types: _types, ...asked } = processor
  const line = openLine<EngineCalls>(child, {
    ...asked,
    ready: () => ready.resolve(),
    trouble: (what: string) => void troubles.push(what),
  } satisfies ParentCalls)
  await ready.promise
  const isAlive = () => child.exitCode === null && child.signalCode === null
  const ending = async (end: () => void) => {
    wanted = true
    if (!isAlive()) return
    const ended = once(child, 'exit')
    end()
    await ended
  }
  return {
    ...line,
    troubles,
    isAlive,
    freeze: () => void child.kill('SIGSTOP'),
    thaw: () => void child.kill('SIGCONT'),
    kill: () => ending(() => child.kill('SIGKILL')),
    end: () => ending(() => child.disconnect()),
  }
}
