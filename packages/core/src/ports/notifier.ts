/** Tells a dashboard user something. The engine waits for no answer and survives a throw. */
export interface Notifier {
  /** The automatic pause disabled an endpoint that `user` registered (specification: Webhook endpoint). */
  endpointPaused(notice: {
    workspace: string
    livemode: boolean
    endpoint: string
    url: string
    user: string
  }): PromiseLike<void>
}

export const silentNotifier: Notifier = { async endpointPaused() {} }
