import type { FromFrame, Opening, ToFrame } from '../protocol.ts'

/** The element's end of the channel. */
export interface Parent {
  say(message: FromFrame): void
}

/** Waits for the one `Opening`, from the parent window at an origin on the list. All other messages are ignored. */
export function awaitOpening(
  parents: readonly string[],
  open: (opening: Opening, parent: Parent) => (message: ToFrame) => void,
): void {
  const listen = ({ source, origin, data, ports: [port] }: MessageEvent) => {
    if (source !== window.parent || !parents.includes(origin)) return
    if (data?.type !== 'quittance:open' || data.version !== 1 || port === undefined) return
    window.removeEventListener('message', listen)
    const parent: Parent = { say: (message) => port.postMessage(message) }
    parent.say({ type: 'ready' })
    const hear = open(data, parent)
    port.onmessage = (event) => hear(event.data)
  }
  window.addEventListener('message', listen)
}
