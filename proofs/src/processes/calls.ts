import type { OperationName, Processor } from '@quittance/core'
import type { Pace } from './clock.ts'

/** How an engine is opened, in a child process or in the parent. */
export interface ProcessSettings {
  connectionString: string
  schema: string
  /** The size of the store's pool. */
  connections: number
  pace: Pace
  /** The URL of the Redis through which dispatchers wake each other, if they do. */
  redis?: string
}

export interface Request {
  operation: OperationName
  workspace: string
  key: string
  input: Record<string, unknown>
}

/** A response, byte for byte. */
export interface Response {
  status: number
  body: string
  /** The error's code, null on success. */
  code: string | null
}

/** The calls that an engine's process takes. */
export interface EngineCalls {
  execute(request: Request): Promise<Response>
  /** Begins to dispatch and to reconcile. */
  work(input: null): void
  /** Ends both, once what is on the wire is recorded. */
  rest(input: null): Promise<void>
  /** Sends what is due, for at most `budgetMs`. */
  runOnce(budgetMs: number): Promise<void>
  reconcile(input: null): Promise<void>
  advance(by_ms: number): void
  /** What the engine has told its logger so far. */
  logged(input: null): string[]
}

/** The calls that the parent takes, which has the processor that all share. */
export interface ParentCalls extends Omit<Processor, 'types'> {
  ready(input: null): void
  /** A rejection that nobody handled. */
  trouble(what: string): void
}
