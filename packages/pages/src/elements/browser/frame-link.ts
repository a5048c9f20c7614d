import type { Appearance, FieldsChange, FromFrame, Opening, ToFrame } from '../protocol.ts'
import { ElementsError } from './elements-error.ts'

/** What a frame reports, at any time. */
export interface Listener {
  /** A page has loaded, for a second time if the element was moved or the frame reloads: nothing is typed. */
  loaded(): void
  ready(): void
  edited(): void
  change(change: FieldsChange): void
  height(height: number): void
  focus(focused: boolean): void
  submit(): void
  /** It did not load, or loaded something that does not answer. */
  unavailable(): void
}

interface Asked {
  resolve(token: string): void
  reject(error: ElementsError): void
}

/** A frame, and the private channel to the page in it. */
export class FrameLink {
  readonly #frame: HTMLIFrameElement
  readonly #origin: string
  readonly #listener: Listener
  readonly #asked = new Map<number, Asked>()
  readonly #unavailable: () => ElementsError
  #appearance: Appearance
  #port: MessagePort | null = null
  #ready = Promise.withResolvers<MessagePort>()
  #last_id = 0
  #patience: ReturnType<typeof setTimeout> | undefined

  constructor(frame: HTMLIFrameElement, { url, appearance, listener, unavailable }: FrameLinkOptions) {
    this.#frame = frame
    this.#origin = url.origin
    this.#listener = listener
    this.#unavailable = unavailable
    this.#appearance = appearance
    this.#wait()
    // Each page that loads in it is a new one, with a channel of its own.
    frame.addEventListener('load', () => this.#open())
    frame.src = url.href
  }

  configure(appearance: Appearance): void {
    this.#appearance = appearance
    this.send({ type: 'configure', ...appearance })
  }

  send(message: ToFrame): void {
    this.#port?.postMessage(message)
  }

  /**
   * Resolves to `known` if that still stands for what is typed, else to a new token. Rejects with what is wrong in the
   * fields, or with the tokenizer's refusal, which the frame shows already.
   */
  async tokenize(known: string | null): Promise<string> {
    const port = await this.#ready.promise
    // Closed in the same task as it was asked.
    if (port !== this.#port) throw this.#unavailable()
    const id = ++this.#last_id
    return new Promise((resolve, reject) => {
      this.#asked.set(id, { resolve, reject })
      port.postMessage({ type: 'tokenize', id, known } satisfies ToFrame)
    })
  }

  close(): void {
    clearTimeout(this.#patience)
    this.#hangUp()
    this.#ready.reject(this.#unavailable())
  }

  #open(): void {
    if (this.#port !== null) {
      this.#hangUp()
      this.#wait()
    }
    this.#giveUpAfter(answer_ms)
    this.#listener.loaded()
    const { port1, port2 } = new MessageChannel()
    this.#port = port1
    port1.onmessage = ({ data }) => this.#hear(data, port1)
    const opening: Opening = { type: 'quittance:open', version: 1, ...this.#appearance }
    // A page from another origin gets neither, and nor does an error page of the browser.
    this.#frame.contentWindow?.postMessage(opening, this.#origin, [port2])
  }

  #wait(): void {
    this.#ready = Promise.withResolvers()
    this.#ready.promise.catch(() => {})
    this.#giveUpAfter(load_ms)
  }

  #giveUpAfter(patience_ms: number): void {
    clearTimeout(this.#patience)
    this.#patience = setTimeout(() => {
      this.#ready.reject(this.#unavailable())
      this.#listener.unavailable()
    }, patience_ms)
  }

  #hear(message: FromFrame, port: MessagePort): void {
    if (port !== this.#port) return
    if (message.type === 'ready') {
      clearTimeout(this.#patience)
      this.#ready.resolve(port)
      // It may have been rejected before, as given up.
      this.#ready = Promise.withResolvers()
      this.#ready.resolve(port)
      this.#listener.ready()
    } else if (message.type === 'edited') this.#listener.edited()
    else if (message.type === 'change') {
      const { complete, empty, brand, error } = message
      this.#listener.change({ complete, empty, brand, error })
    } else if (message.type === 'height') this.#listener.height(message.height)
    else if (message.type === 'focus' || message.type === 'blur')
      this.#listener.focus(message.type === 'focus')
    else if (message.type === 'submit') this.#listener.submit()
    else if (message.type === 'token') this.#answered(message.id)?.resolve(message.token)
    else if (message.type === 'refused') this.#answered(message.id)?.reject(new ElementsError(message.error))
  }

  #answered(id: number): Asked | undefined {
    const asked = this.#asked.get(id)
    this.#asked.delete(id)
    return asked
  }

  #hangUp(): void {
    this.#port?.close()
    this.#port = null
    for (const { reject } of this.#asked.values()) reject(this.#unavailable())
    this.#asked.clear()
  }
}

interface FrameLinkOptions {
  url: URL
  appearance: Appearance
  listener: Listener
  /** Made anew each time, in the present language. */
  unavailable: () => ElementsError
}

/** On a slow phone network a first load takes seconds. */
const load_ms = 30_000

/** Our page answers at once when it has loaded; another page, or the browser's own error page, does not. */
const answer_ms = 5_000
