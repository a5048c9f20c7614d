import type { OperationName, Processor } from '@quittance/core'
import type { Pace } from './clock.ts'

/** How an engine is opened, in a process of its own as in the parent. */
export interface ProcessSettings {
  connectionString: string
  schema: string
  /** Of the store's pool. */
  connections: number
  pace: Pace
  /** Where dispatchers wake each other, if they do. */
  redis?: string
}

export interface Request {
  operation: OperationName
  workspace: string
  key: string
  input: Record<string, unknown>
}

/** What was answered, byte for byte. */
export interface Response {
  status: number
  body: string
  /** The error's code, null on success. */
  code: string | null
}

/** What an engine's process can be asked. */
export interface EngineCalls {
  execute(request: Request): Promise<Response>
  /** Begins to dispatch and to reconcile. */
  work(input: null): void
  /** Ends both, once what is on the wire is recorded. */
  rest(input: null): Promise<void>
  /** Sends what is due, for so long at most. */
  runOnce(budgetMs: number): Promise<void>
  reconcile(input: null): Promise<void>
  advance(by_ms: number): void
  /** What the engine has told its logger so far. */
  logged(input: null): string[]
}

/** What it asks of its parent, which holds the processor that all share. */
export interface ParentCalls extends Omit<Processor, 'types'> {
  ready(input: null): void
  /** A rejection that nobody handled. */
  trouble(what: string): void
}
