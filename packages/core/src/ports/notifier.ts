/** Tells people what has happened. The engine does not wait for it, and survives a throw. */
export interface Notifier {
  /**
   * For a dashboard user: the automatic pause disabled an endpoint (specification: Webhook endpoint). `user` registered it;
   * null if an API key did, and then this is called only with `notifyOfKeyEndpoints`.
   */
  endpointPaused(notice: {
    workspace: string
    livemode: boolean
    endpoint: string
    url: string
    user: string | null
  }): void | PromiseLike<void>

  /**
   * For whoever requested it: a historical sync whose request named a `slackUsername` is over (specification: Back-office
   * endpoints).
   */
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
  }): void | PromiseLike<void>
}
