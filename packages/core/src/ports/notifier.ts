/** Tells a dashboard user something. The engine waits for no answer and survives a throw. */
export interface Notifier {
  /**
   * The automatic pause disabled an endpoint (specification: Webhook endpoint). `user` registered it; null: an API
   * key did, and the rule that tells of those too is on.
   */
  endpointPaused(notice: {
    workspace: string
    livemode: boolean
    endpoint: string
    url: string
    user: string | null
  }): PromiseLike<void>
}

/** Tells whoever asked for a historical sync. */
export interface SyncNotifier {
  /** A historical sync whose request named a `slackUsername` is over (specification: Back-office endpoints). */
  syncFinished(notice: {
    workspace: string
    livemode: boolean
    connection: string
    run: string
    status: 'completed' | 'failed'
    /** Without the leading @. */
    slack_username: string
    pages: number
    created: number
    updated: number
    unchanged: number
    skipped: number
  }): PromiseLike<void>
}

export type Notices = Notifier & SyncNotifier

/** A host tells of what it wants to: what it leaves out is silent. */
export function noticesOf(given: Partial<Notices> = {}): Notices {
  return {
    endpointPaused: async (notice) => given.endpointPaused?.(notice),
    syncFinished: async (notice) => given.syncFinished?.(notice),
  }
}
